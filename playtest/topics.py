"""Which staff may watch which topic of the progress socket: the same question that the topic's page asks.

An app registers its kinds of topic when it starts (`AppConfig.ready`), so that the socket, which lives in one app,
need not know the others. A kind that nobody registered is denied. The question is named, not imported: an app that
starts would otherwise load charts and kernels for every command.
"""

import re
from collections.abc import Callable

from django.utils.module_loading import import_string

from playtest.accounts.models import User

TopicCheck = Callable[[User, int], bool]

_checks: dict[str, str] = {}
_TOPIC = re.compile(r"([a-z]{1,20}):([1-9][0-9]{0,17})", re.ASCII)


def topic_register(kind: str, check: str) -> None:
    """Let the function of that dotted name, `check(user, pk)`, decide who may watch `kind:pk`.

    It may ask the database.
    """
    _checks[kind] = check


def topic_is_visible(user: User, topic: str) -> bool:
    """Whether this member of the staff may watch the topic. False also for what is no topic."""
    found = _TOPIC.fullmatch(topic)
    if found is None or found[1] not in _checks:
        return False
    check: TopicCheck = import_string(_checks[found[1]])
    return check(user, int(found[2]))
