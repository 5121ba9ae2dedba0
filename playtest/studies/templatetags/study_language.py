"""Marks what a researcher wrote where it is in another language than the page around it (WCAG 3.1.2)."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, get_language_info

from playtest.studies.languages import known_languages
from playtest.studies.models import Participant, Study
from playtest.studies.selectors.documents import version_document

register = template.Library()


@register.simple_tag(takes_context=True)
def own_language(context: dict[str, Any]) -> str:
    """Attributes `lang` and `dir` of a study's own words: its first language, or nothing if the page is in it too."""
    participant, study = context.get("participant"), context.get("study")
    version = None
    if isinstance(participant, Participant):
        version = participant.version
    elif isinstance(study, Study):
        version = study.published
    if version is None:
        return ""
    language = version_document(version).languages[0]
    return "" if language == get_language() else attributes(language)


@register.simple_tag(takes_context=True)
def page_language(context: dict[str, Any]) -> str:
    """The same for words of ours that stand among a study's own: the page's language, or nothing if both are one."""
    return attributes(get_language() or "en") if own_language(context) else ""


@register.simple_tag(takes_context=True)
def participant_languages(context: dict[str, Any]) -> list[dict[str, object]]:
    """What the page's participant may change to: tag, own name, whether it is spoken now. Empty for one language."""
    participant = context.get("participant")
    if not isinstance(participant, Participant):
        return []
    offered = version_document(participant.version).languages
    names, current = known_languages(), get_language()
    return [{"tag": tag, "name": names[tag], "is_current": tag == current} for tag in offered if len(offered) > 1]


def attributes(language: str) -> str:
    return format_html(' lang="{}" dir="{}"', language, "rtl" if get_language_info(language)["bidi"] else "ltr")
