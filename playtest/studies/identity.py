"""Random names that participants see or send, and proofs that only this site can make."""

import hashlib
import secrets

from django.core import signing

from playtest.studies.choices import Kind

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Read aloud and typed from paper without doubt: no 0 O 1 I L U."""

MARKER_SALT = "playtest.studies.start"
MARKER_SECONDS = 600


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
