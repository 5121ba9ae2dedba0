"""Marks what a researcher wrote where it is in another language than the page around it (WCAG 3.1.2)."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, get_language_info

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
    if language == get_language():
        return ""
    return format_html(' lang="{}" dir="{}"', language, "rtl" if get_language_info(language)["bidi"] else "ltr")
