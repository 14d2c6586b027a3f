#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the rooms keep to the table in docs/architecture.md.

The table says for each room which other rooms it may include and link, and which libraries of others it may use
directly. What a named room may use is allowed, too. A room sees only the public headers of another one. Every folder
of test/ must carry the name of a room or be one of those that the document names. No source of a room is longer than
400 lines and no function longer than 60.

    python3 scripts/check_rooms.py [ROOT]

Prints one line per violation and ends with 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
DOCUMENT = "docs/architecture.md"
LONGEST_FILE = 400
LONGEST_FUNCTION = 60

# How headers of others begin, and the name that the table has for them.
LIBRARIES = {
    "Eigen/": "Eigen",
    "fmt/": "fmt",
    "yaml-cpp/": "yaml-cpp",
    "boost/": "Boost",
    "nlohmann/": "nlohmann-json",
    "nlopt": "NLopt",
    "CLI/": "CLI11",
    "httplib.h": "cpp-httplib",
    "cairo": "cairo",
    "mujoco/": "MuJoCo",
    "ida/": "SUNDIALS",
    "nvector/": "SUNDIALS",
    "sundials/": "SUNDIALS",
    "sunlinsol/": "SUNDIALS",
    "sunmatrix/": "SUNDIALS",
    "comedilib.h": "Comedi",
    "pybind11/": "pybind11",
}
ROS = "ROS 2"
ROS_HEADER = re.compile(
    r"(rclcpp|rclcpp_action|rclcpp_lifecycle|controller_interface|hardware_interface|realtime_tools|pluginlib|"
    r"diagnostic_updater|diagnostic_msgs|lifecycle_msgs|control_msgs|trajectory_msgs|sensor_msgs|std_msgs|"
    r"std_srvs|pal_statistics|ament_index_cpp|fivebar_control/(msg|srv|action)|fivebar_control/\w+_parameters\.hpp)")
# Targets whose name is not that of their room.
TARGETS = {
    "fivebar_settings": None,
    "fivebar_interfaces": None,  # messages
    "fivebar_httplib": None,
    "fivebar_firmware": "hardware",
    "fivebar_animation": "report",
    "fivebar_soak": "cli",
    "fivebar_live": "daemon",
    "fivebar_studio_server": "studio",
    "fivebar_python": "python",
    "fivebar_controllers": "controller/ros",
    "fivebar_system": "hardware/ros",
    "fivebar_planner_component": "planner/ros",
    "fivebar_planner_node": "planner/ros",
}


def tracked(*patterns):
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout.split("\n")
    return [name for name in names if name and (ROOT / name).exists()]


def read_table():
    """{room: (rooms it names, libraries)} and the folders of test/ that the document names."""
    rooms, folders = {}, set()
    text = (ROOT / DOCUMENT).read_text()
    header = "| folder | what lives there | may include | libraries |"
    if header not in text:
        sys.exit(f"{DOCUMENT}: the table of rooms is missing, expected '{header}'")
    for line in text[text.index(header):].split("\n")[2:]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4:
            break
        listed = lambda cell: [one.strip() for one in cell.split(",") if one.strip()]
        rooms[cells[0].strip("`").rstrip("/")] = (listed(cells[2]), set(listed(cells[3])))
    folders.update(re.findall(r"`test/(\w+)/`", text))
    return rooms, folders


def closure(rooms):
    """{room: every room that it may use, itself among them}."""
    allowed = {}

    def visit(room, path):
        if room not in rooms:
            sys.exit(f"{DOCUMENT}: '{path[-1]}' may include '{room}', which is no room")
        if room in path:
            sys.exit(f"{DOCUMENT}: rooms in a circle: {' -> '.join([*path, room])}")
        if room not in allowed:
            allowed[room] = {room}.union(*(visit(other, [*path, room]) for other in rooms[room][0]))
        return allowed[room]

    for room in rooms:
        visit(room, [])
    return allowed


def room_of(path, rooms):
    """The deepest room that the file lies in."""
    fitting = [room for room in rooms if path.startswith(room + "/")]
    return max(fitting, key=len) if fitting else None


def public_headers(files, rooms):
    """{include name: room}: what stands below an include/ folder, and what plugins share."""
    headers = {}
    for path in files:
        found = re.search(r"(?:^|/)(?:include|support/ros)/(fivebar_control/.*)$", path)
        if found:
            headers[found.group(1)] = room_of(path, rooms)
        elif path.startswith("hardware/firmware/") and path.endswith(".h"):
            headers[path[len("hardware/"):]] = "hardware"
    return headers


def check_includes(rooms, allowed):
    files = tracked("*.cpp", "*.hpp", "*.c", "*.h")
    headers = public_headers(files, rooms)
    for path in files:
        room = room_of(path, rooms)
        if room is None:
            continue
        libraries = rooms[room][1]
        for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
            found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not found:
                continue
            name = found.group(1)
            place = f"{path}:{number}"
            if name in headers:
                if headers[name] not in allowed[room]:
                    yield f"{place}: {room} may not include {headers[name]} ({name})"
            elif ROS_HEADER.match(name):
                if ROS not in libraries:
                    yield f"{place}: {room} may not use {ROS} ({name})"
            elif '"' in line and not any((ROOT / base / name).exists() or (ROOT / base / (name + ".in")).exists()
                                         for base in {str(pathlib.Path(path).parent), room}):
                yield f"{place}: '{name}' is no public header of another room and none of {room}"
            else:
                library = next((LIBRARIES[key] for key in LIBRARIES if name.startswith(key)), None)
                if library and library not in libraries:
                    yield f"{place}: {room} may not use {library} ({name})"


def check_links(rooms, allowed):
    targets = {"fivebar_" + room.replace("/", "_"): room for room in rooms}
    targets.update(TARGETS)
    for path in tracked("*CMakeLists.txt"):
        room = room_of(path, rooms)
        if room is None:
            continue
        for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
            for name in re.findall(r"\bfivebar_\w+", line.split("#")[0]):
                linked = targets.get(name, room)
                if linked is not None and linked not in allowed[room]:
                    yield f"{path}:{number}: {room} may not link {linked} ({name})"


def check_tests(rooms, folders):
    for folder in sorted({path.split("/")[1] for path in tracked("test/*") if path.count("/") > 1}):
        if folder not in rooms and folder not in folders:
            yield f"test/{folder}: neither a room nor a folder that {DOCUMENT} names"


def functions(lines):
    """(name line, number of lines inside) of each function, by the braces of our format."""
    for start, line in enumerate(lines):
        brace = re.match(r"^( {0,2})\{$", line)
        before = lines[start - 1].strip() if start else ""
        if not brace or not re.search(r"[)\w]$", before):
            continue
        if re.match(r"(struct|class|namespace|enum|union|extern|if|for|while|else|do|try|catch|switch)\b", before):
            continue
        end = next((i for i in range(start + 1, len(lines)) if re.match(f"^{brace.group(1)}}}", lines[i])), start + 1)
        yield start, end - start - 1


def check_sizes(rooms):
    for path in tracked("*.cpp", "*.hpp", "*.c", "*.h"):
        if room_of(path, rooms) is None:
            continue
        lines = (ROOT / path).read_text().split("\n")
        if len(lines) - 1 > LONGEST_FILE:
            yield f"{path}: {len(lines) - 1} lines, at most {LONGEST_FILE}"
        for number, length in functions(lines):
            if length > LONGEST_FUNCTION:
                yield f"{path}:{number}: a function of {length} lines, at most {LONGEST_FUNCTION}"


def main():
    rooms, folders = read_table()
    allowed = closure(rooms)
    missing = [f"{DOCUMENT}: the room {room}/ is not there" for room in rooms if not (ROOT / room).is_dir()]
    violations = [*missing, *check_includes(rooms, allowed), *check_links(rooms, allowed), *check_tests(rooms, folders),
                  *check_sizes(rooms)]
    for violation in violations:
        print(violation)
    print(f"{len(rooms)} rooms, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
