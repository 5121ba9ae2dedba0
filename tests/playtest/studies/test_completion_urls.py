"""Addresses at the end: only what the site allows, and nothing that a link brings along leads anywhere else."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playtest.studies.completion_urls import place_values, url_check, url_fill, url_leave, url_places
from playtest.studies.errors import StudyError

ALLOWED = ["app.prolific.com", "*.sona-systems.com", "localhost"]
PROLIFIC = "https://app.prolific.com/submissions/complete?cc=[COMPLETION_CODE]"
SONA = "https://uni.sona-systems.com/webstudy_credit.aspx?experiment_id=7&survey_code=[SONA_ID]"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (PROLIFIC, "app.prolific.com"),
        (SONA, "uni.sona-systems.com"),
        ("https://a.b.sona-systems.com", "a.b.sona-systems.com"),
        ("HTTPS://APP.PROLIFIC.COM/x#y", "app.prolific.com"),
        ("http://localhost:8000/done/[CODE]", "localhost"),
    ],
)
def test_address_on_the_list_is_taken(url: str, host: str) -> None:
    assert url_check(url, ALLOWED) == host


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://evil.example/", "this site sends nobody to evil.example. It allows *.sona-systems.com,"),
        ("https://app.prolific.co/submissions/complete?cc=1", "sends nobody to app.prolific.co"),
        ("https://sona-systems.com/", "sends nobody to sona-systems.com"),
        ("https://evilsona-systems.com/", "sends nobody to evilsona-systems.com"),
        ("https://app.prolific.com.evil.example/", "sends nobody to app.prolific.com.evil.example"),
        ("https://app.prolific.com@evil.example/", "stands a host name alone"),
        ("https://evil.example\\@app.prolific.com/", "no “\\”"),
        ("https://app.prolific.com%2eevil.example/", "is no host name"),
        ("https://app.prolific.com./", "is no host name"),
        ("https://[HOST]/", "stands a host name alone"),
        ("https://[::1]/", "stands a host name alone"),
        ("https://app.prolific.com:8443/", "leave out the port"),
        ("http://app.prolific.com/", "so that nobody can listen on the way to app.prolific.com"),
        ("http://127.0.0.1/", "sends nobody to 127.0.0.1"),
        ("http://localhost:99999/", "is no port"),
        ("//app.prolific.com/", "must begin with https://"),
        ("https:app.prolific.com", "must begin with https://"),
        ("https:///app.prolific.com", "must begin with https://"),
        ("app.prolific.com", "must begin with https://"),
        ("javascript:alert(1)", "must begin with https://"),
        ("JavaScript://app.prolific.com/%0aalert(1)", "must begin with https://"),
        ("data:text/html,x", "must begin with https://"),
        (" https://app.prolific.com/", "no “ ”"),
        ("https://app.prolific.com/\n", "no “U+000A”"),
        ("https://app.prolific.com/ü", "no “ü”"),
        ("https://app.prolific.com/?id={{%PROLIFIC_PID%}}", "no “{”"),
        ("https://app.prolific.com/" + "x" * 2_000, "2,025 characters, 2,000 are allowed"),
        ("https://", "is no host name"),
    ],
)
def test_any_other_address_is_refused_in_words(url: str, words: str) -> None:
    with pytest.raises(StudyError) as error:
        url_check(url, ALLOWED)
    assert words in str(error.value)


def test_a_pattern_is_no_host_and_an_empty_list_allows_nothing() -> None:
    with pytest.raises(StudyError, match="is no host name"):
        url_check("https://*.sona-systems.com/", ALLOWED)
    with pytest.raises(StudyError, match="It allows no host"):
        url_check(PROLIFIC, [])


def test_places_are_filled_by_any_case_first_value_and_encoded() -> None:
    query = {"prolific_PID": ["5f&cc=X", "other"], "Study_Id": ["a/b?c#d"], "PROLIFIC_PID": ["last"], "empty": []}
    values = place_values(
        query=query, recruiter=None, recruiter_id=None, own={"CODE": "K7QX-3MPD", "OUTCOME": "complete"}
    )
    url = "https://app.prolific.com/[code]?id=[PROLIFIC_PID]&s=[study_id]&o=[OUTCOME]&n=[NOTHING]&e=[empty]&a[]=1"
    assert url_fill(url, values) == (
        "https://app.prolific.com/K7QX-3MPD?id=5f%26cc%3DX&s=a%2Fb%3Fc%23d&o=complete&n=&e=&a[]=1"
    )


def test_a_link_cannot_say_what_the_site_says() -> None:
    values = place_values(
        query={"code": ["FORGED"], "Completion_Code": ["PAID"]},
        recruiter=None,
        recruiter_id=None,
        own={"CODE": "K7QX", "OUTCOME": "complete", "COMPLETION_CODE": ""},
    )
    assert url_fill("[CODE].[COMPLETION_CODE]", values) == "K7QX."


@pytest.mark.parametrize(
    ("query", "filled"),
    [
        ({}, "12345"),
        ({"SONA_ID": ["%SURVEY_CODE%"]}, "12345"),
        ({"SONA_ID": ["", "12345"]}, "12345"),
        ({"sona_id": ["777"]}, "777"),
    ],
)
def test_an_id_that_was_asked_for_stands_in_for_the_parameter(query: dict[str, list[str]], filled: str) -> None:
    values = place_values(query=query, recruiter="sona", recruiter_id="12345", own={})
    assert url_fill("[SONA_ID]", values) == filled


def test_staff_are_told_what_an_address_needs_of_the_link() -> None:
    assert url_places("https://x.sona-systems.com/?a=[SONA_ID]&b=[sona_id]&c=[CODE]&d=[Study-1]&e=[0]") == [
        "SONA_ID",
        "Study-1",
    ]


PARTS = [
    "//",
    "/",
    "\\",
    "@",
    ":",
    "evil.example",
    "[A]",
    "[CODE]",
    "?",
    "#",
    "&",
    "=",
    "%2e",
    ".",
    "..",
    "[",
    "]",
    ":443",
]
HOSTS = [
    "app.prolific.com",
    "x.sona-systems.com",
    "localhost",
    "localhost:8000",
    "evil.example",
    "[A]",
    "a.b@localhost",
]
parts = st.sampled_from(PARTS)
beginnings = st.builds("{}{}".format, st.sampled_from(["https://", "http://", "//", ""]), st.sampled_from(HOSTS))
urls = st.builds("{}{}".format, beginnings, st.one_of(st.lists(parts, max_size=9).map("".join), st.text(max_size=60)))
# A machine that does much else at once is no fault of the addresses.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
raw = st.one_of(st.text(max_size=40), st.lists(parts, max_size=5).map("".join))


@calm
@given(url=urls, values=st.dictionaries(st.sampled_from(["a", "code", "b"]), raw))
def test_whatever_is_saved_and_linked_leads_to_an_allowed_host_or_nowhere(url: str, values: dict[str, str]) -> None:
    try:
        left = url_leave(url, values, ALLOWED)
    except StudyError:
        return
    # A browser takes a backslash for a slash and cuts out line ends: none of these is left.
    assert left.isascii()
    assert left.isprintable()
    assert not set('\\ "<>') & set(left)
    found = urlsplit(left)
    assert found.hostname in {"app.prolific.com", "localhost"} or (found.hostname or "").endswith(".sona-systems.com")
    assert found.scheme == "https" or (found.scheme == "http" and found.hostname == "localhost")
    assert found.username is None


@calm
@given(value=st.text(max_size=60))
def test_what_fills_a_place_stays_in_it(value: str) -> None:
    left = url_leave("https://app.prolific.com/a/[A]/b?x=[A]&y=1#[A]", {"a": value}, ALLOWED)
    found = urlsplit(left)
    assert dict(parse_qsl(found.query, keep_blank_values=True, errors="surrogatepass")) == {
        "x": value.encode("utf-8", "replace").decode(),
        "y": "1",
    }
    steps = found.path.split("/")
    assert len(steps) == 4
    assert not {".", ".."} & set(steps)
