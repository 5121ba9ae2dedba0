"""Going on as somebody by a recruiter's id alone, from a browser that has not their cookie, has a limit.

Ids of some services are short numbers: without it, whoever counts through them would take over one participant after
the other. The limit is a study's, not an address's, which is not looked at; who has the cookie of their start never
meets it, nor does somebody new. Each process counts for itself, in memory.
"""

import threading
import time
from collections import OrderedDict

from playtest.studies.models import Study
from playtest.studies.play.limits import Window

MOST, SECONDS = 60, 600.0
MOST_STUDIES = 1_000

_lock = threading.Lock()
_windows: OrderedDict[str, Window] = OrderedDict()


def guess_allowed(*, study: Study) -> bool:
    """Count that somebody was found by an id. False: that was too often in the last minutes, and tells nothing."""
    with _lock:
        window = _windows.setdefault(study.public_id, Window(MOST + 1, SECONDS))
        _windows.move_to_end(study.public_id)
        while len(_windows) > MOST_STUDIES:
            _windows.popitem(last=False)
        return not window.add(time.monotonic())
