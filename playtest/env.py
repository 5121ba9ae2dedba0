"""Typed readers of the environment. A value that cannot be read stops the start with a sentence that names it."""

import os
import re
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

ENVIRONMENT = environ.Env()
TRUE_WORDS = {"1", "true", "yes", "on"}
HOST_PATTERN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*|\*(\.[a-z0-9-]+){2,}")
WHOLE_PATTERN = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
FALSE_WORDS = {"0", "false", "no", "off", ""}


def read_text(name: str, default: str) -> str:
    return os.environ.get(name, default)


def read_bool(name: str, default: bool) -> bool:
    """A misspelt word is an error: `DEBUG=flase` must not silently mean true."""
    if name not in os.environ:
        return default
    word = os.environ[name].strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} is {os.environ[name]!r}; it must be true or false.")


def read_int(name: str, default: int, *, low: int, high: int) -> int:
    if name not in os.environ:
        return default
    text = os.environ[name].strip()
    # Python also reads 8_000, and the digits of other scripts.
    if not WHOLE_PATTERN.fullmatch(text):
        raise ImproperlyConfigured(f"{name} is {os.environ[name]!r}; it must be a whole number.")
    value = int(text)
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} is {value}; it must lie between {low} and {high}.")
    return value


def read_list(name: str, default: Sequence[str]) -> list[str]:
    """Words separated by commas; blanks around them and empty ones do not count."""
    if name not in os.environ:
        return list(default)
    return [word.strip() for word in os.environ[name].split(",") if word.strip()]


def read_hosts(name: str, default: Sequence[str]) -> list[str]:
    """Host names in small letters, or patterns such as *.example.org that stand for every host below one."""
    hosts = [word.lower() for word in read_list(name, default)]
    for host in hosts:
        if not HOST_PATTERN.fullmatch(host):
            raise ImproperlyConfigured(
                f"{name} has {host!r}; it must be a host name without scheme, port and path, such as app.prolific.com, "
                "or a pattern such as *.example.org."
            )
    return hosts


def read_folder(name: str, default: Path) -> Path:
    """An absolute folder that exists afterwards, readable by its owner alone when it is made here."""
    wanted = Path(os.environ.get(name) or default)
    try:
        folder = wanted.expanduser().resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a home that is not known, links that go round
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ImproperlyConfigured(f"{name}: no folder can be made at {wanted} ({reason}).") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"{name}: {folder} may not be written.")
    return folder


def read_database(name: str, default: str) -> dict[str, Any]:
    """Django's settings of a database address. The address holds a password, so no message repeats it."""
    url = os.environ.get(name) or default
    if not url.startswith(("sqlite:///", "postgres://", "postgresql://")):
        raise ImproperlyConfigured(f"{name} must begin with sqlite:/// or postgres://.")
    try:
        return {"OPTIONS": {}, **ENVIRONMENT.db_url_config(url)}
    except (ValueError, KeyError, TypeError):
        raise ImproperlyConfigured(f"{name} is not a database address.") from None


def read_or_make_secret(name: str, path: Path) -> str:
    """The environment's secret, or the one kept in `path`, made there on first use.

    Several processes may start at once: each writes its own file and links it to the final name; the first link
    stands, the others read it.
    """
    if os.environ.get(name):
        return os.environ[name]
    if not path.exists():
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".secret-")
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(temporary)
    return path.read_text(encoding="ascii").strip()
