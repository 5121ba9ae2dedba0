"""Forms of staff for links: what kinds there are, how many, for whom, and until when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone

from playtest.fields import WholeField
from playtest.studies.choices import LinkMode
from playtest.studies.labels import faults_shown, labels_read, taken_faults
from playtest.studies.models import Link, Study
from playtest.studies.selectors.links import labels_taken
from playtest.studies.services.links import MOST_LINKS

MOST_USES = 1_000_000
LIMIT_COMMENT = 200


class LinkForm(forms.Form):
    """What every link has."""

    use_required_attribute = False
    error_css_class = "field--error"

    comment = forms.CharField(
        label="Comment",
        required=False,
        max_length=LIMIT_COMMENT,
        help_text="For you alone, such as where the link is handed out. Participants never see it.",
    )
    expires_at = forms.DateTimeField(
        label="Valid until",
        required=False,
        help_text="In UTC. Afterwards nobody new can begin; who began in time can go on.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"invalid": "Please give day and time, such as 2027-03-31 18:00."},
    )

    def clean_expires_at(self) -> datetime | None:
        expires_at: datetime | None = self.cleaned_data["expires_at"]
        was = self.initial.get("expires_at")
        is_new = was is None or expires_at is None or was.replace(second=0, microsecond=0) != expires_at
        if expires_at is not None and is_new and expires_at <= timezone.now():
            raise forms.ValidationError("That moment is over: nobody could use the link.")
        return expires_at


class OpenForm(LinkForm):
    """A link for whoever comes."""

    max_uses = WholeField(
        label="Participants at most",
        required=False,
        min_value=1,
        max_value=MOST_USES,
        help_text="When so many have begun, the link lets nobody new in. Who withdraws makes room again.",
    )

    field_order: Sequence[str] = ("comment", "max_uses", "expires_at")


class OneTimeForm(LinkForm):
    """Many links at once, each for one participant."""

    number = WholeField(label="How many", min_value=1, max_value=MOST_LINKS, initial=10)

    field_order: Sequence[str] = ("number", "comment", "expires_at")


class LabelledForm(LinkForm):
    """A link for each label of a pasted list."""

    labels = forms.CharField(
        label="Labels, one a line",
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocomplete": "off"}),
        help_text=(
            f"At most {MOST_LINKS}. A label is in the export and on the pages of staff; the address does not show it. "
            "Labels that are no names keep the data free of them."
        ),
        strip=False,
    )

    field_order: Sequence[str] = ("labels", "comment", "expires_at")

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_labels(self) -> list[str]:
        labels, faults = labels_read(self.cleaned_data["labels"])
        faults += taken_faults(labels, labels_taken(study=self.study, labels=labels))
        if faults:
            raise forms.ValidationError(["No link was made. Please mend the list:", *faults_shown(faults)])
        if not labels:
            raise forms.ValidationError("There is no label in it.")
        if len(labels) > MOST_LINKS:
            raise forms.ValidationError(f"These are {len(labels):,} labels; {MOST_LINKS} are made at once.")
        return labels


def form_for(mode: LinkMode, study: Study, data: Any = None) -> LinkForm:
    """The form that makes links of a mode."""
    if mode == LinkMode.LABELLED:
        return LabelledForm(data, study=study)
    return OneTimeForm(data) if mode == LinkMode.ONE_TIME else OpenForm(data)


def change_form(link: Link, data: Any = None) -> LinkForm:
    """The form that changes a link."""
    initial = {"comment": link.comment, "max_uses": link.max_uses, "expires_at": link.expires_at}
    return LinkForm(data, initial=initial) if link.is_personal else OpenForm(data, initial=initial)
