"""Rows that are written once. Only services insert them; only withdrawal and the deletion of a study remove them."""

from collections.abc import Iterable
from typing import Any, NoReturn, Self

from django.db import models


class ImmutableRowError(TypeError):
    """Code tried to change a row that stands for what once happened."""


class ImmutableQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise ImmutableRowError(f"{self.model.__name__} rows are never changed.")

    def bulk_update(self, objs: Iterable[Any], fields: Iterable[str], batch_size: int | None = None) -> NoReturn:
        raise ImmutableRowError(f"{self.model.__name__} rows are never changed.")


class ImmutableRow(models.Model):
    """Base of such a model."""

    objects = models.Manager.from_queryset(ImmutableQuerySet)()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableRowError(f"{type(self).__name__} rows are never changed.")
        super().save(*args, **kwargs)

    @classmethod
    def blanking(cls) -> models.QuerySet[Self]:
        """A query set that may update: for withdrawal and for the deletion of a study, nothing else."""
        return models.QuerySet(cls)
