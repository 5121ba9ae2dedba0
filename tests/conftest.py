"""What every test of the site knows: an admin, a designer, and clients that are signed in as them."""

import os
import signal
from collections.abc import Iterator

import pytest
from django.test import Client
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from playtest.accounts.models import Role, User
from playtest.embedded import broker
from playtest.embedded.children import Child

# The tests of each of these share a site, a server or a run: in one process it is made once.
KEPT_TOGETHER = (
    "tests/browser/",
    "tests/personas/test_evolution_run.py",
    "tests/playtest/studies/test_play_server.py",
    "tests/playtest/test_up.py",
)


class SharedMakings(LoadScopeScheduling):
    """Deals tests out singly, but those that are kept together all to one process.

    The marks of `--dist loadgroup` would say it, but pytest-xdist 3.8 loses them with pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((path for path in KEPT_TOGETHER if nodeid.startswith(path)), nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return SharedMakings(config, log)


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user(username="ada", password="correct horse battery", role=Role.ADMIN)


@pytest.fixture
def designer(db: None) -> User:
    return User.objects.create_user(username="dora", password="correct horse battery", role=Role.DESIGNER)


@pytest.fixture
def admin_client(admin: User) -> Client:
    client = Client()
    client.force_login(admin)
    return client


@pytest.fixture
def designer_client(designer: User) -> Client:
    client = Client()
    client.force_login(designer)
    return client


@pytest.fixture(scope="session")
def broker_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker that answers: the one of REDIS_URL, else a Valkey from the wheel for as long as the tests run."""
    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    data, folder = tmp_path_factory.mktemp("valkey"), broker.make_socket_folder()
    path = folder / "valkey.sock"
    command = broker.server_command(broker.find_server(), path, data)
    server = Child("valkey", command, dict(os.environ), data, data / "valkey.log", death_signal=signal.SIGTERM)
    server.start()
    try:
        url = f"unix://{path}"
        assert broker.wait_until_ready(url, 30), (data / "valkey.log").read_text()
        yield url
    finally:
        server.ask_to_end()
        server.end(deadline=0.0)
        broker.remove_socket_folder(url)
