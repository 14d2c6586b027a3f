# SPDX-License-Identifier: Apache-2.0
"""Kept apart, so that fivebar needs pandas only where it is asked for."""

from __future__ import annotations

from typing import Any


def frame(columns: dict[str, Any]) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_pandas() needs pandas (Debian: python3-pandas); the columns are numpy arrays without it"
        ) from error
    return pandas.DataFrame(columns)
