"""Going on as somebody by a recruiter's id alone, from a browser that has not their cookie, has a limit.

Ids of some services are short numbers: without it, whoever counts through them would take over one participant after
the other. The limit is of different ids of a study, not of an address, which is not looked at: who opens the page of
their own id again and again shuts nobody out. Who has the cookie of their start never meets it, nor does somebody new.
Each process counts for itself, in memory.
"""

import threading
import time
from collections import OrderedDict

from playtest.studies.models import Study
from playtest.studies.recruiting import Recruited

MOST, SECONDS = 60, 600.0
MOST_STUDIES = 1_000

_lock = threading.Lock()
_found: OrderedDict[str, dict[int, float]] = OrderedDict()
"""By study: hashes of the ids by which somebody was found, and when each was counted, the oldest first.

Python salts them for each process, so they tell nothing of the id; somebody who withdraws leaves none behind.
"""


def guess_allowed(*, study: Study, recruited: Recruited) -> bool:
    """Count that somebody was found by this id. False: too many ids in the last minutes, so nothing is to be told."""
    with _lock:
        found = _found.setdefault(study.public_id, {})
        _found.move_to_end(study.public_id)
        while len(_found) > MOST_STUDIES:
            _found.popitem(last=False)
        now = time.monotonic()
        while found and found[next(iter(found))] <= now - SECONDS:
            del found[next(iter(found))]
        key = hash(recruited)
        if key not in found and len(found) < MOST:
            found[key] = now
        return key in found
