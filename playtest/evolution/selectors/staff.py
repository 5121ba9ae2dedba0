"""Who sits behind a staff socket: asked again and again, because a socket outlives the sign-in that opened it."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from playtest.accounts.models import User
from playtest.topics import topic_is_visible


def session_user(*, session_key: str | None) -> User | None:
    """The member of the staff whom this session signs in now: None after sign-out, expiry, a new password or a lock."""
    if not session_key:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return user if isinstance(user, User) and user.is_active and not user.must_change_password else None


def session_topics(*, session_key: str | None, topics: list[str]) -> set[str] | None:
    """Those of the topics that the session's user may watch, or None if the session signs nobody in."""
    user = session_user(session_key=session_key)
    if user is None:
        return None
    return {topic for topic in topics if topic_is_visible(user, topic)}
