"""A database in which other threads see what a test wrote, emptied fast; and a hub for tests of the socket."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections

from playtest.studies.play.hub import Hub


@pytest.fixture(scope="session", autouse=True)
def rows_deleted_not_tables_truncated() -> Iterator[None]:
    """Truncating takes PostgreSQL seconds after each test. Foreign keys are deferred: rows go in any order."""

    def sql_flush(style: object, tables: Sequence[str], **kwargs: Any) -> list[str]:
        return [f"DELETE FROM {connection.ops.quote_name(table)}" for table in tables]

    with pytest.MonkeyPatch.context() as patch:
        if connection.vendor == "postgresql":
            patch.setattr(connection.ops, "sql_flush", sql_flush)
        yield


@pytest.fixture
async def hub(transactional_db: None) -> AsyncIterator[Hub]:
    hub = Hub.current()
    yield hub
    await hub.close()
    await sync_to_async(connections.close_all)()
