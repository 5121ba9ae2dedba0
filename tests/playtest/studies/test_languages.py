"""Every word of participants in every language that a study may name, and which language somebody gets."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation

from playtest.accounts.models import Role, User
from playtest.studies.choices import EventKind
from playtest.studies.cookies import PAGE_COOKIE
from playtest.studies.document import parse_study
from playtest.studies.identity import token_hash
from playtest.studies.languages import known_languages, language_choose
from playtest.studies.models import Event, Participant, Study
from playtest.studies.play.say import say_move, say_rejection
from playtest.studies.play.texts import play_texts
from playtest.studies.services import study_create, study_publish
from playtest.studies.services.previews import preview_start
from tests import messages
from tests.playtest.studies.factory import study_document
from tests.playtest.studies.test_say import outcome

PLACE = re.compile(r"%\((\w+)\)([sd])")
CATALOGUES = messages.catalogues()
GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    translation.activate(settings.LANGUAGE_CODE)


def make_study(*languages: str) -> Study:
    study = study_create(owner=None, document={**study_document(questions=True), "languages": list(languages)})
    study_publish(study=study)
    return study


def address(study: Study, name: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id])


def html_tag(text: str) -> str:
    found = re.search(r"<html[^>]*>", text)
    assert found is not None
    return found[0]


# --- The catalogues -------------------------------------------------------------------------------------------------


def test_every_language_but_english_has_both_catalogues() -> None:
    found = {(path.parent.parent.name, path.stem) for path in CATALOGUES}
    assert found == {(name, domain) for name in known_languages() if name != "en" for domain in messages.DOMAINS}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_no_text_of_participants_lacks_its_translation(path: Path) -> None:
    catalogue = {message.id: message.string for message in messages.read_catalogue(path) if message.id}
    wanted = set(messages.extracted(path.stem))
    assert len(wanted) > 50
    assert wanted - set(catalogue) == set(), "`make messages` adds them"
    assert set(catalogue) - wanted == set(), "`make messages` takes them out"
    assert [text for text, said in catalogue.items() if not messages.is_translated(said)] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_translations_have_the_same_places_and_all_plural_forms(path: Path) -> None:
    catalogue = messages.read_catalogue(path)
    for message in catalogue:
        if not message.id:
            continue
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        assert {frozenset(PLACE.findall(text)) for text in said} <= {frozenset(PLACE.findall(t)) for t in originals}
        if isinstance(message.id, tuple):
            assert len(said) == catalogue.num_plurals, message.id
    assert path.with_suffix(".mo").read_bytes() == messages.compiled(catalogue), "`make messages` compiles it"


@pytest.mark.parametrize("domain", messages.DOMAINS)
def test_a_number_with_what_it_counts_at_the_end_has_plural_forms(domain: str) -> None:
    counted = re.compile(r"%\((points|count|left|cols|whole)\)[sd] \w+s\b")
    alone = [text for text in messages.extracted(domain) if isinstance(text, str) and counted.search(text)]
    assert alone == []


# --- Which language -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offered", "wanted", "accepted", "chosen"),
    [
        (["en"], "de", "de", "en"),
        (["de"], "", "en", "de"),
        (["en", "de"], "", "de-AT,en;q=0.5", "de"),
        (["en", "de"], "", "fr,de;q=0.4,en;q=0.8", "en"),
        (["de", "en"], "", "fr", "de"),
        (["en", "de"], "en", "de", "en"),
        (["en", "de"], "xx", "de", "de"),
        (["en", "de"], "", "\x00;;q=zz," * 2_000, "en"),
    ],
)
def test_language_is_the_studys_and_among_several_the_persons(
    offered: list[str], wanted: str, accepted: str, chosen: str
) -> None:
    assert language_choose(offered, wanted=wanted, accepted=accepted) == chosen


@pytest.mark.django_db
def test_study_of_one_language_is_in_it_whatever_the_browser_says(client: Client) -> None:
    english, german = make_study("en"), make_study("de")
    page = client.get(address(english, "entry"), **GERMAN).content.decode()
    assert 'lang="en"' in html_tag(page)
    assert "Begin" in page
    page = client.get(address(german, "entry"), HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert 'lang="de"' in html_tag(page)
    assert "Anfangen" in page
    assert "Deutsch" not in page, "There is nothing to choose."


@pytest.mark.django_db
def test_language_that_was_chosen_is_kept_from_the_start_to_the_last_page() -> None:
    study = make_study("en", "de")
    client = Client(HTTP_ACCEPT_LANGUAGE="en")
    page = client.get(address(study, "entry")).content.decode()
    assert '<a href="?lang=de" lang="de" hreflang="de">Deutsch</a>' in page
    page = client.get(address(study, "entry") + "?lang=de&PROLIFIC_PID=p1").content.decode()
    assert "Anfangen" in page
    # The study's own words are still English, and say so.
    assert '<span lang="en" dir="ltr">' in page
    assert not Participant.objects.exists()
    action = re.search(r'<form[^>]* action="([^"]+)"', page)
    assert action is not None
    client.post(action[1].replace("&amp;", "&"))
    participant = Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))
    assert participant.language == "de"
    response = client.get(address(study, "consent"))
    assert "Ich stimme zu" in response.content.decode()
    assert response["Content-Language"] == "de"
    client.post(address(study, "consent"), {"decision": "agree"})
    page = client.post(client.get(address(study, "next"))["Location"], {"shown": ""}).content.decode()
    assert "Bitte beantworten Sie diese Frage." in page
    assert "Ihre Daten sind gelöscht" in client.post(address(study, "stop"), follow=True).content.decode()


@pytest.mark.django_db
def test_errors_speak_the_participants_language_and_staff_pages_english(client: Client, admin_client: Client) -> None:
    assert "Hier ist keine Seite" in client.get("/s/nothing-here/", **GERMAN).content.decode()
    page = admin_client.get("/staff/", **GERMAN).content.decode()
    assert 'lang="en"' in html_tag(page)
    assert "Skip to the content" in page
    refused = Client(enforce_csrf_checks=True).post("/s/nothing-here/start", **GERMAN)
    assert refused.status_code == 403
    assert "Bitte senden Sie das noch einmal" in refused.content.decode()


@pytest.mark.django_db
def test_language_of_one_visitor_is_not_the_next_ones(client: Client) -> None:
    study = make_study("en", "de")
    assert "Anfangen" in client.get(address(study, "entry"), **GERMAN).content.decode()
    assert "Begin" in client.get(address(study, "entry")).content.decode()
    assert "Begin" in client.get(address(study, "entry"), HTTP_ACCEPT_LANGUAGE="xx").content.decode()
    assert translation.get_language() == "en"


@pytest.mark.django_db
def test_right_to_left_language_turns_the_page_around(client: Client, settings: object) -> None:
    settings.LANGUAGES = [("en", "English"), ("he", "עברית")]  # type: ignore[attr-defined]
    study = make_study("he")
    page = client.get(address(study, "entry")).content.decode()
    assert html_tag(page) == '<html lang="he" dir="rtl">'


def study_in_german_of_english_words() -> tuple[Study, Client]:
    """A participant who chose German in a study whose own words are English, before its questions."""
    study, client = make_study("en", "de"), Client(HTTP_ACCEPT_LANGUAGE="de")
    client.post(address(study, "start"))
    client.post(address(study, "consent"), {"decision": "agree"})
    return study, client


def languages_of(page: str) -> list[tuple[str, str]]:
    """Each text of a page with the language that it is marked with: that of the nearest element which names one."""
    soup = TextsWithLanguages()
    soup.feed(page)
    return soup.found


class TextsWithLanguages(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, str]] = [("", "")]
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "link", "input", "img", "br", "hr"}:
            self.stack.append((tag, dict(attrs).get("lang") or self.stack[-1][1]))

    def handle_endtag(self, tag: str) -> None:
        while self.stack[-1][0] != tag:
            self.stack.pop()
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.found.append((data.strip(), self.stack[-1][1]))


@pytest.mark.django_db
def test_every_text_says_its_language_also_where_ours_stands_among_the_studys() -> None:
    study, client = study_in_german_of_english_words()
    where = client.get(address(study, "next"))["Location"]
    answers = {"often": "", "age": "7", "words": "x" * 41, "fun": ""}
    pages = [client.get(where), client.post(where, answers)]
    texts = [entry for page in pages for entry in languages_of(page.content.decode())]
    found: dict[str, set[str]] = {}
    for text, language in texts:
        found.setdefault(text, set()).add(language)
    for ours in ("(freiwillig)", "Bis zu 40 Zeichen.", "Bitte beantworten Sie diese Frage.", "Weiter"):
        assert found.get(ours) == {"de"}, (ours, found.get(ours))
    for theirs in ("How often do you play?", "Never", "Anything else?", "Age"):
        assert found[theirs] == {"en"}, theirs
    assert {language for text, language in texts if text.startswith(("Bitte ", "Dieser Wert"))} == {"de"}


@pytest.mark.django_db
def test_language_can_be_changed_on_every_page_and_nothing_is_lost() -> None:
    study, client = study_in_german_of_english_words()
    where = client.get(address(study, "next"))["Location"]
    page = client.get(where).content.decode()
    assert re.search(r'<button [^>]*name="to.lang" value="en" lang="en" form="questions"', page)
    # Enter in a field presses the first button of its form: that is not one of these.
    assert page.index('form="questions"') > page.index("</form>")
    answers = {"often": "daily", "age": "41", "words": "so far <b>", "fun": "3"}
    page = client.post(where, {**answers, "to.lang": "en"}).content.decode()
    assert 'lang="en"' in html_tag(page)
    assert "Please answer" not in page
    assert re.search(r'<input [^>]*value="daily"[^>]* checked', page)
    assert 'value="41"' in page
    assert "so far &lt;b&gt;" in page
    participant = Participant.objects.get()
    assert (participant.language, participant.answers.count()) == ("en", 0)
    client.post(where, answers)
    assert client.get(address(study, "next"))["Location"] == address(study, "play")
    for name in ("play", "stop", "entry"):
        page = client.get(address(study, name)).content.decode()
        assert f'name="back" value="{address(study, name)}"' in page, name
        changed = client.post(address(study, "language"), {"to.lang": "de", "back": address(study, name)})
        assert changed["Location"] == address(study, name)
        assert 'lang="de"' in html_tag(client.get(address(study, name)).content.decode()), name
        client.post(address(study, "language"), {"to.lang": "en"})
    kept = Event.objects.filter(participant=participant, kind=EventKind.SETTINGS).order_by("pk")
    assert [json.loads(event.data)["language"] for event in kept] == ["en", "de", "en", "de", "en", "de", "en"]


@pytest.mark.django_db
@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example/", "/s/../staff/", "\\\\else"])
def test_change_of_language_leads_nowhere_else_and_takes_no_other_language(back: str) -> None:
    study, client = study_in_german_of_english_words()
    changed = client.post(address(study, "language"), {"to.lang": "fr", "back": back})
    assert changed["Location"] == address(study, "next")
    assert Participant.objects.get().language == "de"
    assert client.get(address(study, "language")).status_code == 405
    assert not Event.objects.filter(kind=EventKind.SETTINGS).exists()


@pytest.mark.django_db
def test_study_of_one_language_has_nothing_to_change(client: Client) -> None:
    study = make_study("en")
    client.post(address(study, "start"))
    assert "to.lang" not in client.get(address(study, "consent")).content.decode()


# --- What is said in play -------------------------------------------------------------------------------------------


def test_message_of_a_move_is_german() -> None:
    said = say_move(outcome(gained=1200, cleared=4), left=1, language="de")
    assert said == "4 in einer Reihe, 1.200 Punkte. Noch 1 Zug."
    assert say_rejection("illegal", "de").startswith("Das ergibt keine Reihe.")


def test_scripts_are_given_every_text_with_the_rule_of_its_plurals() -> None:
    given = play_texts("de")
    assert set(given["texts"]) >= {
        text if isinstance(text, str) else text[0] for text in messages.extracted("djangojs")
    }
    assert given["texts"]["%(count)s move left"] == ["Noch %(count)s Zug", "Noch %(count)s Züge"]
    assert given["rule"] == [1, 0, *[1] * 198]
    assert play_texts("en") == {"texts": {}, "rule": []}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_script_takes_the_form_that_the_rule_names() -> None:
    script = """
    globalThis.document = {documentElement: {lang: "xx"}, getElementById: () => ({textContent: JSON.stringify(
      {texts: {"%(n)s cat": ["%(n)s a", "%(n)s b", "%(n)s c"], "hi %(who)s": "lo %(who)s"},
       rule: Array.from({length: 200}, (_, n) => n % 10 === 1 && n % 100 !== 11 ? 0 : n % 10 === 2 ? 1 : 2)})})};
    const {gettext, ngettext} = await import(process.argv[1]);
    console.log([1, 2, 11, 121, 311, 2002].map((n) => ngettext("%(n)s cat", "%(n)s cats", n, {n})).join());
    console.log(gettext("hi %(who)s", {who: "$&"}), gettext("none"), ngettext("%(n)s x", "%(n)s xs", 2, {n: 2}));
    """
    path = messages.ROOT / "static/js/play/words.js"
    command = ["node", "--input-type=module", "-e", script, "--", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["1 a,2 b,11 c,121 a,311 c,2002 b", "lo $& none 2 xs"]


# --- In the document ------------------------------------------------------------------------------------------------


def test_study_keeps_the_order_of_its_languages() -> None:
    assert parse_study({**study_document(), "languages": ["de", "en"]}).languages == ("de", "en")


@pytest.mark.django_db
def test_preview_is_in_the_first_language_of_the_study_whatever_the_designer_speaks() -> None:
    study, designer = make_study("de", "en"), User.objects.create_user("designer", role=Role.DESIGNER)
    preview = preview_start(study=study, by=designer)
    assert preview.participant.language == "de"
    client = Client(headers={"accept-language": "en"})
    client.cookies[PAGE_COOKIE] = preview.token
    page = client.get(address(study, "consent"))
    assert page.status_code == 200
    assert 'lang="de"' in html_tag(page.content.decode())
