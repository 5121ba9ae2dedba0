"""Settings, safe for production as they stand; the environment says where things are (see docs/operating.md)."""

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from playtest.env import read_bool, read_database, read_folder, read_hosts, read_list, read_or_make_secret, read_text

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = read_folder("TESSERA_VAR", BASE_DIR / "var")

# Compiled kernels are part of what the program writes. The engine reads this when it is first imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(VAR / "numba"))

DEBUG = read_bool("DEBUG", False)
SECRET_KEY = read_or_make_secret("SECRET_KEY", VAR / "secret_key")
ALLOWED_HOSTS = read_list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = read_list("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "servestatic",
    "channels",
    "csp",
    "playtest",
    "playtest.accounts",
    "playtest.levels",
    "playtest.studies",
    "playtest.evolution",
    "playtest.insights",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "playtest.studies.languages.ParticipantLanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "playtest.urls"
ASGI_APPLICATION = "playtest.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Data -----------------------------------------------------------------------------------------------------------

DATABASES: dict[str, Any] = {"default": read_database("DATABASE_URL", f"sqlite:///{VAR / 'db.sqlite3'}")}
USES_SQLITE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
if USES_SQLITE:
    DATABASES["default"]["OPTIONS"] |= {
        # A transaction takes the write lock when it begins, so it waits there and never fails half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: a move that was acknowledged survives a power cut. secure_delete: withdrawn data leave the file.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;",
    }
    # A file, not memory: threads and processes of a test then meet the locks that the product meets.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}
    READING_OPTIONS: dict[str, Any] = {"timeout": 20, "init_command": "PRAGMA query_only=ON;"}
else:
    from psycopg import IsolationLevel

    READING_OPTIONS = DATABASES["default"]["OPTIONS"] | {
        "isolation_level": IsolationLevel.REPEATABLE_READ,
        "options": "-c default_transaction_read_only=on",
    }
    DATABASES["default"]["OPTIONS"] |= {"pool": {"min_size": 0, "max_size": 16, "timeout": 20}}
    # A connection that the server ended, say when it was restarted, is found out before it is handed out again.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# The same database once more, for long reads: a transaction there is one picture, waits for nobody, stops nobody and
# cannot write.
DATABASES["reading"] = DATABASES["default"] | {"OPTIONS": READING_OPTIONS, "TEST": {"MIRROR": "default"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# `up` notes there where its broker listens, so that a command in a second terminal reaches it.
BROKER_NOTE = VAR / "broker_url"
REDIS_URL = read_text("REDIS_URL", BROKER_NOTE.read_text("utf-8").strip() if BROKER_NOTE.exists() else "")
CHANNEL_LAYERS: dict[str, Any] = {}
if REDIS_URL:
    CHANNEL_LAYERS["default"] = {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL}], "prefix": "tessera"},
    }

# --- Where participants may be sent at the end ----------------------------------------------------------------------

COMPLETION_HOSTS = read_hosts(
    "TESSERA_COMPLETION_HOSTS",
    ["app.prolific.com", "*.sona-systems.com", *(["localhost", "127.0.0.1"] if DEBUG else [])],
)

# --- Staff accounts -------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "accounts:dashboard"
LOGOUT_REDIRECT_URL = "accounts:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# --- What a browser is told -----------------------------------------------------------------------------------------

USES_TLS = read_bool("TESSERA_TLS", False)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = USES_TLS
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_FAILURE_VIEW = "playtest.front.refused.csrf_failure"
CSRF_COOKIE_HTTPONLY = False
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = USES_TLS
SECURE_SSL_REDIRECT = USES_TLS
SECURE_HSTS_SECONDS = 31_536_000 if USES_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if USES_TLS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    },
}

STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Our own folder alone: what packages bring is not served.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "playtest.storage.HashedStaticFiles"},
}
MEDIA_ROOT = VAR / "files"

# A study document with its levels is the largest form there is.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = 200

# --- Language, time, logs -------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
# In which participants can be spoken to. Each but English has its catalogues in `locale`.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"short": {"()": "playtest.logs.ShortLine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["short"]}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # A request that was refused is the client's business; it would fill the log.
        "django.request": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
    },
}
