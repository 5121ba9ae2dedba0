"""What a fresh site holds: an admin, the shipped levels and personas, the demonstration study."""

from dataclasses import dataclass

from playtest.accounts.services import NewLogin, admin_ensure


@dataclass(frozen=True)
class FirstContent:
    """What whoever started the site wants to know. `login` is there only when the account was made just now."""

    login: NewLogin | None
    study_path: str | None


def content_ensure() -> FirstContent:
    """Make what is missing."""
    login = admin_ensure()
    return FirstContent(login=login, study_path=None)
