"""Compressed carriers, told by their magic bytes: gzip, zstandard, zip (deflate or zstd members).

Every way in is bounded: what unpacks to more than ``limit`` bytes is refused with its size.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import sys
import zlib
from pathlib import PurePosixPath
from typing import IO, Any

from viewer.errors import BrokenRun

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:  # zipfile before 3.14 cannot read zstd members, which Inspect writes
    from backports import zstd
    from backports.zstd import zipfile

LIMIT = 2 * 1024**3
"""No input may be larger once unpacked (decisions.md 8)."""
MEMBERS = 100_000
_CHUNK = 1 << 20


def is_zip(data: bytes) -> bool:
    """True when the bytes start like a zip archive, an empty one included."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def decompressed(name: str, data: bytes, limit: int = LIMIT) -> bytes:
    """``data`` without its gzip or zstandard layer; other bytes come back as they are.

    Raises ``BrokenRun`` for a damaged or a too large layer.
    """
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                return _bounded(name, stream, limit)
        if data[:4] == b"\x28\xb5\x2f\xfd":
            with zstd.ZstdFile(io.BytesIO(data)) as stream:
                return _bounded(name, stream, limit)
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise BrokenRun(
            name, f"The compressed data is damaged ({error}).", "A complete gzip or zstandard file.", "Copy it again."
        ) from None
    return data


def members(name: str, data: bytes, limit: int = LIMIT) -> tuple[tuple[str, bytes], ...]:
    """The files of a zip archive as (safe relative name, bytes), in archive order.

    Names that are absolute, leave the archive by ``..``, or are symbolic links are refused as a whole archive:
    such an archive was made to do harm or is damaged. Raises ``BrokenRun``.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > MEMBERS:
                raise BrokenRun(name, f"The archive holds {len(infos):,} files.", f"At most {MEMBERS:,}.", "Split it.")
            if sum(info.file_size for info in infos) > limit:
                raise BrokenRun(name, f"It unpacks to more than {limit:,} bytes.", "", "Split it, or unpack it.")
            left = limit
            found = []
            for info in infos:
                found.append((_safe(name, info), body := _member(name, archive, info, left)))
                left -= len(body)
            return tuple(found)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error, struct.error,
            zstd.ZstdError, UnicodeDecodeError, ValueError, OverflowError) as error:  # fmt: skip
        raise BrokenRun(
            name, f"The zip archive is damaged or encrypted ({error}).", "A readable archive.", "Copy or pack it again."
        ) from None


def _safe(name: str, info: zipfile.ZipInfo) -> str:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    link = stat.S_ISLNK(info.external_attr >> 16)
    if link or path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
        what = "a symbolic link" if link else "a name that leaves the archive"
        raise BrokenRun(
            name, f"The archive holds {what}: {info.filename!r}.", "Plain files below it.", "Do not trust it."
        )
    return path.as_posix()


def _member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    if info.file_size > limit:
        raise BrokenRun(name, f"{info.filename} unpacks to more than is left of {LIMIT:,} bytes.", "", "Unpack it.")
    with archive.open(info) as stream:
        return _bounded(name, stream, limit)


def _bounded(name: str, stream: IO[bytes] | Any, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise BrokenRun(name, f"It unpacks to more than {limit:,} bytes.", "", "Split it, or raise the limit.")
        parts.append(chunk)
    return b"".join(parts)
