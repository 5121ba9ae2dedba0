"""Addresses as QR codes, drawn as SVG: black on white in every theme, with the quiet zone that readers need."""

import io

import segno
from django.utils.safestring import SafeString, mark_safe


def qr_inline(address: str) -> SafeString:
    """An `svg` element for a page, as large as its place."""
    drawing: str = segno.make(address, error="m", micro=False).svg_inline(
        omitsize=True, border=4, svgclass=None, lineclass=None, dark="#000", light="#fff"
    )
    # Paths made of numbers: nothing of the address stands in it.
    return mark_safe(drawing)  # noqa: S308


def qr_file(address: str) -> bytes:
    """A file of its own, for print and slides."""
    target = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        target, kind="svg", scale=8, border=4, svgclass=None, lineclass=None, dark="#000", light="#fff"
    )
    return target.getvalue()
