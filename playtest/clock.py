"""The database's clock. Machines may disagree about the time; whoever shares a database agrees with it."""

from datetime import datetime, timedelta

from django.db.models import DateTimeField, ExpressionWrapper, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Now


def database_time_in(seconds: float) -> Combinable:
    """The database's time `seconds` from now, as an expression for conditions and updates."""
    field: DateTimeField[str, datetime] = DateTimeField()
    return ExpressionWrapper(Now() + Value(timedelta(seconds=seconds)), output_field=field)
