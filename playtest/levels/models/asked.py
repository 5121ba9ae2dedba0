"""What a question that workers answer has in common with others: who asked, how far it is, what went wrong."""

from django.conf import settings
from django.db import models


class Asked(models.Model):
    """`rev` rises whenever its pages have something newer to show; `error` is a sentence for the person who asked."""

    rev = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
