"""`measured.py COMMAND WORDS...`: runs a command of manage.py; the last line on standard error says what it took."""

import json
import os
import re
import resource
import sys
from pathlib import Path


def peak_megabytes() -> float:
    """The most that this program ever held, in 10^6 bytes.

    Linux is asked for its own: `ru_maxrss` begins with what the process held from which it was started.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"^VmHWM:\s+(\d+) kB", status.read_text("ascii"), re.MULTILINE)):
        return int(found[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    start = peak_megabytes()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
    from django.core.management import execute_from_command_line

    begin = os.times()
    execute_from_command_line(["manage.py", *sys.argv[1:]])
    end = os.times()
    seconds = end.user + end.system - begin.user - begin.system
    figures = {"start": start, "peak": peak_megabytes(), "seconds": round(seconds, 1)}
    sys.stderr.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
