"""Who keeps something that was made of participants' data: `studies` does not know. An app that does names a function
when it starts, as with topics.

Apart from the services, so that Django starts without what they need.
"""

from collections.abc import Callable

from django.utils.module_loading import import_string

from playtest.studies.models import Participant

Forgetter = Callable[[Participant], None]

_forgetters: list[str] = []


def forgetter_register(function: str) -> None:
    """Let the function of that dotted name delete what an app keeps of a participant who withdraws.

    It is called in the transaction of the withdrawal, after everything else in it.
    """
    if function not in _forgetters:
        _forgetters.append(function)


def forget(participant: Participant) -> None:
    """Have every app that keeps something of this participant's data delete it."""
    for name in _forgetters:
        forgetter: Forgetter = import_string(name)
        forgetter(participant)
