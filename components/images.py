"""Images of a trace, from its own bytes: never from an address in it."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Final

import streamlit as st

from components import amounts
from components.labels import label
from viewer.model import Image
from viewer.source import Source

_MAGIC: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")
"""PNG, JPEG, GIF, WebP. SVG is a document with scripts and addresses: it is named, not drawn."""
LIMIT: Final = 8_000_000


def draw_image(image: Image, source: Source) -> None:
    """The picture if its bytes stand in the file, else what is known of it."""
    size = amounts.size(image.size) if image.size is not None else "size not recorded"
    words = f"Image · {label(image.media_type, 40)} · {size}"
    data = _bytes(image, source)
    if data is None:
        st.caption(words)
    else:
        st.image(data, caption=words, width="content")


def _bytes(image: Image, source: Source) -> bytes | None:
    if image.where is None or image.where.row < 0:
        return None
    raw = source.raw(image.where)
    if len(raw) > 2 * LIMIT:
        return None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    for text in _texts(value):
        try:
            data = base64.b64decode(text.rpartition("base64,")[2], validate=True)
        except (binascii.Error, ValueError):
            continue
        if data.startswith(_MAGIC) and len(data) <= LIMIT:
            return data
    return None


def _texts(value: object, depth: int = 4) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item, depth - 1)] if depth else []
