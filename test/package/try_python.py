"""What somebody does who has installed python3-fivebar; run by scripts/check package."""
import fivebar

print(fivebar.__file__, getattr(fivebar, '__version__', ''))
assert fivebar.__file__.startswith('/usr/lib/python3')
