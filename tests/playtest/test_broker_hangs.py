"""A broker that takes connections and answers nothing, as a stopped process does, keeps nobody waiting for long."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from playtest.celery import BROKER_SECONDS
from playtest.embedded import broker
from playtest.embedded.children import Child

ROOT = Path(__file__).resolve().parents[2]
ANNOUNCE = """
import time, django
django.setup()
from playtest.evolution.dispatch import _send
_send(1)
began = time.monotonic()
_send(8)
print(time.monotonic() - began)
"""


@pytest.fixture
def stopped_broker(tmp_path: Path) -> Iterator[str]:
    """A server of our own that is stopped, not dead."""
    folder = broker.make_socket_folder()
    path, url = folder / "valkey.sock", f"unix://{folder}/valkey.sock"
    command = broker.server_command(broker.find_server(), path, tmp_path)
    server = Child("valkey", command, dict(os.environ), tmp_path, tmp_path / "valkey.log")
    server.start()
    try:
        assert broker.wait_until_ready(url, 30)
        assert server.process is not None
        server.process.send_signal(signal.SIGSTOP)
        yield url
        server.process.send_signal(signal.SIGCONT)
    finally:
        server.end(deadline=0.0)
        broker.remove_socket_folder(url)


@pytest.mark.embedded
def test_announcing_work_to_a_broker_that_hangs_takes_seconds(stopped_broker: str) -> None:
    environment = {**os.environ, "REDIS_URL": stopped_broker, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", ANNOUNCE], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Work could not be announced" in done.stderr
    assert float(done.stdout) < 8 * BROKER_SECONDS
