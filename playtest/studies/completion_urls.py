"""Addresses to which participants are sent at the end: what one must look like, and how its places are filled.

An address is configuration of the study, never of the request. Its host must be on the site's list when it is saved and
again when somebody is sent there. What fills a place is percent-encoded, so it can neither begin another parameter nor
leave the host.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn
from urllib.parse import quote

from playtest.studies.errors import StudyError
from playtest.studies.recruiting import SERVICES, read_recruiter_id

LIMIT_URL = 2_000
LIMIT_FILLED = 60_000
"""With places filled: all that is kept of a link, percent-encoded."""
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1"})
"""Hosts of one's own machine: with any port, and without encryption. They too must be on the list."""

PLACE = re.compile(r"\[([A-Za-z][A-Za-z0-9_.-]{0,99})\]")
OWN_PLACES = ("CODE", "OUTCOME", "COMPLETION_CODE")
"""What the site fills in: the participant's own code, how it ended, and the code of the study for that."""

HOST = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
REFUSED = re.compile(r"[^\x21-\x7e]|[\\\"<>^`{|}]")


def url_host(url: str, *, limit: int = LIMIT_URL) -> str:
    """The host of an address that may be used at all; whether the site allows it is for `host_is_allowed`.

    Raises StudyError `completion_url` with a sentence.
    """
    if len(url) > limit:
        _refuse(f"the address has {len(url):,} characters, {limit:,} are allowed.")
    if odd := REFUSED.search(url):
        shown = odd[0] if odd[0].isprintable() else f"U+{ord(odd[0]):04X}"
        _refuse(f"an address has no “{shown}”. Write it percent-encoded.")
    scheme, colon, rest = url.partition(":")
    if not colon or scheme.lower() not in {"https", "http"} or not rest.startswith("//") or rest.startswith("///"):
        _refuse("the address must begin with https://")
    authority = re.split(r"[/?#]", rest[2:], maxsplit=1)[0]
    if "@" in authority or "[" in authority or "]" in authority:
        _refuse("between https:// and the next / stands a host name alone, such as app.prolific.com.")
    host, _, port = authority.lower().partition(":")
    if not HOST.fullmatch(host):
        _refuse(f"“{host[:100]}” is no host name.")
    if host in LOCAL_HOSTS:
        if ":" in authority and not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < 65_536):
            _refuse(f"“{port[:20]}” is no port.")
        return host
    if scheme.lower() != "https":
        _refuse(f"the address must begin with https://, so that nobody can listen on the way to {host}.")
    if ":" in authority:
        _refuse(f"leave out the port: {host} is asked by https alone.")
    return host


def host_is_allowed(host: str, allowed: Collection[str]) -> bool:
    """Whether the list has the host, or a pattern such as *.sona-systems.com that it ends like."""
    return any(host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in allowed)


def url_check(url: str, allowed: Collection[str]) -> str:
    """The host of an address to which this site may send people. Raises StudyError `completion_url`."""
    host = url_host(url)
    if not host_is_allowed(host, allowed):
        _refuse(
            f"this site sends nobody to {host}. It allows {', '.join(sorted(allowed)) or 'no host'}; whoever runs the "
            "site adds hosts by TESSERA_COMPLETION_HOSTS."
        )
    return host


def url_places(url: str) -> list[str]:
    """Names of the link's parameters that an address needs, as they are written there, each once."""
    found: dict[str, str] = {}
    for name in PLACE.findall(url):
        if name.upper() not in OWN_PLACES:
            found.setdefault(name.lower(), name)
    return list(found.values())


def url_fill(url: str, values: Mapping[str, str]) -> str:
    """The address with its places filled; `values` by name in lower case. What is not there leaves its place empty."""
    path_end = min((at for at in (url.find("?"), url.find("#")) if at >= 0), default=len(url))

    def filled(match: re.Match[str]) -> str:
        value = values.get(match[1].lower(), "")
        if match.start() < path_end and not value.strip("."):
            # One or two dots would be a step in the path, encoded or not.
            return ""
        return quote(value, safe="", errors="replace")

    return PLACE.sub(filled, url)


def url_leave(url: str, values: Mapping[str, str], allowed: Collection[str]) -> str:
    """Where somebody is sent: the address with its places filled, checked as it stands and as it goes out.

    Raises StudyError `completion_url`, such as when the site's list no longer has the host.
    """
    host = url_check(url, allowed)
    filled = url_fill(url, values)
    if url_host(filled, limit=LIMIT_FILLED) != host:
        _refuse(f"the address does not lead to {host}.")
    return filled


def place_values(
    *, query: Mapping[str, Sequence[str]], recruiter: str | None, recruiter_id: str | None, own: Mapping[str, str]
) -> dict[str, str]:
    """What fills the places of a participant, by name in lower case: the first value of each parameter of the link.

    An id that the link lacked and a form asked for stands in for it. `own` are the site's places, whatever a link says.
    """
    values: dict[str, str] = {}
    for name, given in query.items():
        if given:
            values.setdefault(name.strip().lower(), given[0])
    for name in SERVICES.get(recruiter or "", ()) if recruiter_id else ():
        if read_recruiter_id([values.get(name, "")], name=name) is None:
            values[name] = recruiter_id or ""
    return {**values, **{name.lower(): value for name, value in own.items()}}


def _refuse(sentence: str) -> NoReturn:
    raise StudyError("completion_url", sentence)
