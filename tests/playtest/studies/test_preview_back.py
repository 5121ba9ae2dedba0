"""From a preview back to the draft: to the part from which it was begun."""

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.models import Study
from playtest.studies.services import study_create
from tests.playtest.studies.factory import study_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(questions=True))


def back(client: Client, study: Study) -> str:
    """Where the button of the preview's bar leads."""
    address = reverse("studies_staff:preview_back", args=[study.pk])
    assert f'href="{address}"' in client.get(reverse("studies:next", args=[study.public_id]), follow=True).text
    return str(client.get(address)["Location"])


def preview(client: Client, study: Study, address: str) -> None:
    """Press the button of the editor there, with nothing changed."""
    form = client.get(address).context["form"]
    typed = {name: form[name].value() for name in form.fields}
    data = {name: value for name, value in typed.items() if value not in (None, False)}
    answer = client.post(address, {**data, "number": study.draft_number, "do": "preview"})
    assert answer["Location"] == reverse("studies:next", args=[study.public_id])


@pytest.mark.parametrize("part", [(), ("consent",), ("profile",)])
def test_a_preview_leads_back_to_where_it_was_begun(
    study: Study, designer_client: Client, part: tuple[str, ...]
) -> None:
    address = reverse("studies_staff:edit_page" if part else "studies_staff:edit", args=[study.pk, *part])
    preview(designer_client, study, address)
    assert back(designer_client, study) == address
    # Begun again from its own bar, it still does.
    designer_client.post(reverse("studies_staff:preview", args=[study.pk]))
    assert back(designer_client, study) == address


def test_a_preview_that_was_begun_elsewhere_leads_to_the_draft(study: Study, designer_client: Client) -> None:
    designer_client.post(reverse("studies_staff:preview", args=[study.pk]))
    assert back(designer_client, study) == reverse("studies_staff:edit", args=[study.pk])


def test_a_part_that_is_gone_leads_to_the_draft(study: Study, designer_client: Client) -> None:
    preview(designer_client, study, reverse("studies_staff:edit_page", args=[study.pk, "profile"]))
    draft = {**study.draft, "pages": [page for page in study.draft["pages"] if page["key"] != "profile"]}
    Study.objects.filter(pk=study.pk).update(draft=draft)
    address = reverse("studies_staff:preview_back", args=[study.pk])
    answer = designer_client.get(address, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("studies_staff:edit", args=[study.pk])


def test_the_way_back_is_for_who_may_see_the_draft(study: Study, client: Client) -> None:
    other = User.objects.create_user("other", password="long enough for tests 1")
    client.force_login(other)
    answer = client.get(reverse("studies_staff:preview_back", args=[study.pk]))
    assert answer.status_code in (403, 404)
