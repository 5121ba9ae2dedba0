"""Staff sign in, sign out and change their password; guessing is slowed down."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import AuditLog, LoginThrottle, Role, User
from playtest.accounts.services import admin_ensure, login_note_failure, login_wait_seconds
from playtest.accounts.services.throttle import FREE_FAILURES, LONGEST_WAIT

PASSWORD = "correct horse battery"


def sign_in(client: Client, username: str, password: str) -> int:
    return client.post(reverse("accounts:login"), {"username": username, "password": password}).status_code


def test_staff_sign_in_leads_to_the_dashboard(admin: User, client: Client) -> None:
    response = client.post(reverse("accounts:login"), {"username": admin.username, "password": PASSWORD})
    assert response.status_code == 302
    assert response.headers["Location"] == "/staff/"


def test_sign_in_goes_on_to_the_page_that_was_asked_for_but_not_elsewhere(admin: User, client: Client) -> None:
    data = {"username": admin.username, "password": PASSWORD}
    response = client.post(reverse("accounts:login"), {**data, "next": "https://elsewhere.example/"})
    assert response.headers["Location"] == "/staff/"
    client.logout()
    response = client.post(reverse("accounts:login"), {**data, "next": "/staff/levels/"})
    assert response.headers["Location"] == "/staff/levels/"


def test_wrong_password_says_so_and_keeps_the_name(admin: User, client: Client) -> None:
    response = client.post(reverse("accounts:login"), {"username": admin.username, "password": "wrong"})
    assert response.status_code == 200
    page = response.content.decode()
    assert "do not fit" in page
    assert f'value="{admin.username}"' in page


def test_sign_in_page_is_a_page(client: Client, db: None) -> None:
    page = client.get(reverse("accounts:login")).content.decode()
    assert len(re.findall("<h1", page)) == 1
    assert '<html lang="en"' in page


def test_sign_out_needs_a_post(admin_client: Client) -> None:
    assert admin_client.get(reverse("accounts:logout")).status_code == 405
    assert admin_client.post(reverse("accounts:logout")).status_code == 302
    assert admin_client.get("/staff/").status_code == 302


def test_staff_pages_ask_strangers_to_sign_in(client: Client, db: None) -> None:
    response = client.get("/staff/")
    assert response.status_code == 302
    assert response.headers["Location"] == "/staff/login/?next=/staff/"


def test_who_must_change_the_password_sees_nothing_else_first(designer: User, designer_client: Client) -> None:
    designer.must_change_password = True
    designer.save()
    assert designer_client.get("/staff/").headers["Location"] == reverse("accounts:password")
    new = "a quite different phrase"
    data = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert designer_client.post(reverse("accounts:password"), data).headers["Location"] == "/staff/"
    designer.refresh_from_db()
    assert not designer.must_change_password
    assert designer.check_password(new)
    assert AuditLog.objects.filter(actor=designer, action="user.password").count() == 1


def test_weak_password_is_refused(designer: User, designer_client: Client) -> None:
    data = {"old_password": PASSWORD, "new_password1": "password12", "new_password2": "password12"}
    response = designer_client.post(reverse("accounts:password"), data)
    assert response.status_code == 200
    assert "too common" in response.content.decode()


def test_guessing_is_slowed_down_even_for_the_right_password(admin: User, client: Client) -> None:
    for _ in range(FREE_FAILURES + 1):
        assert sign_in(client, admin.username, "wrong") == 200
    assert sign_in(client, admin.username.upper(), PASSWORD) == 200
    response = client.post(reverse("accounts:login"), {"username": admin.username, "password": PASSWORD})
    assert "too many wrong passwords" in response.content.decode()
    LoginThrottle.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert sign_in(client, admin.username, PASSWORD) == 302
    assert not LoginThrottle.objects.exists()


def test_other_names_are_not_slowed_down(admin: User, designer: User, client: Client) -> None:
    for _ in range(FREE_FAILURES + 2):
        sign_in(client, admin.username, "wrong")
    assert sign_in(client, designer.username, PASSWORD) == 302


def test_unknown_names_wait_alike(client: Client, db: None) -> None:
    for _ in range(FREE_FAILURES + 1):
        sign_in(client, "nobody", "wrong")
    assert login_wait_seconds(username="nobody") > 0


def test_wait_doubles_up_to_a_quarter_of_an_hour(db: None) -> None:
    waits = []
    for _ in range(FREE_FAILURES + 14):
        login_note_failure(username="ada")
        waits.append(login_wait_seconds(username="ada"))
    assert waits[:FREE_FAILURES] == [0] * FREE_FAILURES
    assert waits[FREE_FAILURES : FREE_FAILURES + 4] == [2, 4, 8, 16]
    assert waits[-1] == LONGEST_WAIT


def test_name_that_was_tried_is_not_stored(db: None) -> None:
    login_note_failure(username="my-secret-password")
    row = LoginThrottle.objects.get()
    assert re.fullmatch("[0-9a-f]{64}", row.digest)


def test_old_failures_are_forgotten(db: None) -> None:
    login_note_failure(username="ada")
    LoginThrottle.objects.update(last_at=timezone.now() - timedelta(days=2))
    login_note_failure(username="dora")
    assert LoginThrottle.objects.count() == 1


def test_first_admin_is_made_once_with_a_random_password(db: None) -> None:
    login = admin_ensure()
    assert login is not None
    user = User.objects.get()
    assert user.role == Role.ADMIN
    assert user.check_password(login.password)
    assert admin_ensure() is None


@pytest.mark.parametrize("path", ["/staff/", "/staff/password/", "/staff/levels/"])
def test_staff_pages_are_kept_by_no_browser(admin_client: Client, path: str) -> None:
    assert "no-store" in admin_client.get(path).headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/staff/", "/staff/password/"])
def test_pages_carry_the_strict_policy(admin_client: Client, path: str) -> None:
    policy = admin_client.get(path).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
