"""Fields for numbers in forms. Python reads `1_000` as a number; nobody who types that into a form means it as one."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class PlainNumber(forms.Field):
    """Refuses, with the field's own sentence, what only Python takes for a number."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and "_" in value:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


class WholeField(PlainNumber, forms.IntegerField):
    """A whole number in the digits 0 to 9, as pages and addresses write it."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and not value.strip().isascii():
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


class DecimalField(PlainNumber, forms.DecimalField):
    """A number with digits behind the point."""
