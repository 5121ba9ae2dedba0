"""What the scripts of the page of play say in a language. Their English stands in static/js."""

from functools import cache
from typing import Any

from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

PLURAL_NUMBERS = 200


@cache
def play_texts(language: str) -> dict[str, Any]:
    """The catalogue `djangojs` of a language for static/js/play/words.js.

    `texts` has the translation by its English, a list where there are plural forms; `rule` the number of the form for
    each count from 0 to 199, beyond which the last two digits decide. Both are empty for English.
    """
    if language.partition("-")[0] == "en":
        return {"texts": {}, "rule": []}
    # What Django's own view makes a script of, which the policy of our pages would have to allow as code.
    catalogue = JavaScriptCatalog()
    catalogue.translation = DjangoTranslation(language, domain="djangojs")
    rule = catalogue.translation.plural
    return {"texts": catalogue.get_catalog(), "rule": [int(rule(count)) for count in range(PLURAL_NUMBERS)]}
