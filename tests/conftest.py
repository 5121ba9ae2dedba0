"""What every test of the site knows: an admin, a designer, and clients that are signed in as them."""

import pytest
from django.test import Client

from playtest.accounts.models import Role, User


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
