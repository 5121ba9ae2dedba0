"""`make test`: bring what the tests need, run them embedded, then those of the site again on PostgreSQL and Redis.

The second run happens where both servers answer. TESSERA_TEST_SERVERS=required makes their absence a failure.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
DATABASE_URL = "postgres://postgres@127.0.0.1:5432/test"
REDIS_URL = "redis://127.0.0.1:6379/0"
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def chromium_ensure() -> str:
    """A Chromium, installed from Debian if need be and possible."""
    found = find_chromium()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing Chromium from Debian for the browser tests")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"]):
            subprocess.run(["apt-get", "-qq", *words], env=environment, stdout=subprocess.DEVNULL, check=False)
        found = find_chromium()
    if found is None:
        sys.exit(
            "The browser tests need Chromium: install it (Debian: apt-get install chromium) or name it in CHROMIUM."
        )
    return found


def database_problem(url: str) -> str | None:
    """Why no test database can be made there, or None. The database itself need not exist: the tests make their own."""
    server = urlunsplit(urlsplit(url)._replace(path="/postgres"))
    try:
        psycopg.connect(server, connect_timeout=5).close()
    except psycopg.OperationalError as error:
        return f"PostgreSQL does not answer at {without_password(url)}: {str(error).strip().splitlines()[-1]}"
    return None


def broker_problem(url: str) -> str | None:
    client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
    try:
        client.ping()
    except redis.RedisError as error:
        return f"Redis does not answer at {without_password(url)}: {error}"
    finally:
        client.close()
    return None


def without_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def run_pytest(title: str, words: list[str], environment: dict[str, str]) -> bool:
    say(title)
    began = time.monotonic()
    # Fixed at 2: the browser tests and those of `up` start whole sites, which more at once would only slow down.
    command = [sys.executable, "-m", "pytest", "--numprocesses", "2", "-q", *words]
    passed = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
    say(f"{title}: {'passed' if passed else 'FAILED'} in {time.monotonic() - began:.0f} s")
    return passed


def run_javascript() -> bool:
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "js").rglob("*.test.js"))
    if not files:
        return True
    node = shutil.which("node")
    if node is None:
        say("No node on PATH: the JavaScript modules are tested in the browser only")
        return True
    say("JavaScript modules")
    return subprocess.run([node, "--test", "--test-reporter=dot", *files], cwd=ROOT, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="the slow tests instead of the fast ones")
    long = parser.parse_args().long
    # A run begun in the background inherits "ignore Ctrl-C", and so would every process that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    database, broker = os.environ.get("DATABASE_URL", DATABASE_URL), os.environ.get("REDIS_URL", REDIS_URL)
    problems = [problem for problem in (database_problem(database), broker_problem(broker)) if problem]
    if problems and os.environ.get("TESSERA_TEST_SERVERS") == "required":
        sys.exit("The tests are required to run on PostgreSQL and Redis.\n" + "\n".join(problems))

    environment = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}}
    environment["CHROMIUM"] = chromium_ensure()
    passed = run_javascript()
    say("Compiling kernels, or loading them")
    subprocess.run([sys.executable, "-c", "import personas; personas.warm_up()"], cwd=ROOT, env=environment, check=True)
    words = ["-m", "slow"] if long else []
    passed &= run_pytest("Embedded: SQLite and Valkey from the wheel", words, environment)
    if problems:
        say("Not run on PostgreSQL and Redis. " + " ".join(problems))
    elif not long:
        environment |= {"DATABASE_URL": database, "REDIS_URL": broker}
        words = ["-m", "not embedded and not slow and not browser", "tests/playtest"]
        passed &= run_pytest("The site on PostgreSQL and Redis", words, environment)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
