"""Random names that participants see or send, and proofs that only this site can make."""

import base64
import hashlib
import json
import secrets
from collections.abc import Sequence

from django.conf import settings
from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from playtest.studies.choices import Kind

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Read aloud and typed from paper without doubt: no 0 O 1 I L U."""

MARKER_SALT = "playtest.studies.start"
MARKER_SECONDS = 600
MARKER_HEADER = "Start-Marker"
"""By which a bot asks for the entry page, so that it is shown the form that people need a link for."""

START_SALT = "playtest.studies.begin"
START_FIELD = "begin"
"""The field of the form on an entry page that carries its name."""

PERSON_SALT = "playtest.studies.person"
PERSON_FIELD = "person"
"""The field of a form, and the parameter of a socket's address, that carries the mark."""
MARK_LENGTH = 22

LINK_SALT = "playtest.studies.link"
TOKEN_LENGTH = 22
"""Characters of a link's token, and of the proof that follows it: 128 bits each."""


def public_id_draw() -> str:
    """22 characters base64url: 128 random bits."""
    return secrets.token_urlsafe(16)


def token_draw() -> str:
    """What a participant's cookie carries: 256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the database keeps of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def code_draw() -> str:
    """Eight letters in two groups, unique within a study."""
    letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def start_marker(*, study_id: str, kind: Kind) -> str:
    """A proof for the start form that a bot or a preview starts, not a person. Only who has the site's key makes it."""
    return signing.dumps([study_id, int(kind)], salt=MARKER_SALT)


def read_start_marker(marker: str, *, study_id: str) -> Kind | None:
    """The kind that a fresh marker of this study names, or None."""
    try:
        value = signing.loads(marker, salt=MARKER_SALT, max_age=MARKER_SECONDS)
    except signing.BadSignature:
        return None
    if not isinstance(value, list) or len(value) != 2 or value[0] != study_id or value[1] not in Kind.values:
        return None
    return Kind(value[1])


def start_form(*, study_id: str) -> str:
    """A random name for a form that begins, so that the same one sent twice begins once. It stands for nobody yet."""
    return signing.dumps([study_id, secrets.token_urlsafe(16)], salt=START_SALT)


def start_token(form: str, *, study_id: str, about: Sequence[object]) -> str | None:
    """The token of whoever begins by a form of that name, or None if this site gave this study no such name.

    It is as long and as secret as one that is drawn: who knows the name has nothing without the site's key. `about` is
    what else says who comes, such as an id: another one is somebody else.
    """
    try:
        value = signing.loads(form, salt=START_SALT)
    except signing.BadSignature:
        return None
    if not isinstance(value, list) or len(value) != 2 or value[0] != study_id:
        return None
    digest = salted_hmac(START_SALT, json.dumps([*value, *about]), algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def person_mark(public_id: str) -> str:
    """Whose page it is: stands in what a page sends, so that it never counts for who began in that browser since.

    It opens nothing. It is not the public id, by which nobody who looks at a page should be able to name a participant.
    """
    return salted_hmac(PERSON_SALT, public_id, algorithm="sha256").hexdigest()[:MARK_LENGTH]


def link_proof(*, token: str, label: str, key: str | bytes | None = None) -> str:
    """That this site gave this label to the link: in its address, so that the label of a row is no word of its own."""
    digest = salted_hmac(LINK_SALT, f"{token}:{label}", secret=key, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def link_proof_holds(proof: str, *, token: str, label: str) -> bool:
    """Whether the proof is that of the label, by the site's key or one that it had before."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return any(constant_time_compare(proof, link_proof(token=token, label=label, key=key)) for key in keys)
