"""Bytes of files, packed files, archives and pipes, within limits under which true files stay.

A packed file of 4 MB can hold 4 GB, and parsed JSON takes up to thirty times its text. So what a file unpacks to, and
what stays in memory of it, is bounded in relation to its size on disk.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from trueerror.inputs._options import FileError

# A file unpacks to so many times its size at most, or to the first figure where that is more; what is parsed of it
# takes so many times its size of memory, or the second. JSON that is
# not packed takes fewer.
TIMES = 80
PLAIN_TIMES = 24
MOST_UNPACKED = 512 << 20
MOST_PARSED = 256 << 20
# The longest line, and the largest member of an archive. JSON in one piece may be longer.
LONGEST_LINE = 64 << 20
MOST_WHOLE = 512 << 20
MOST_PIPED = 64 << 30
# Seconds to wait for somebody who writes to a pipe.
PATIENCE = 10.0
ZSTANDARD = 93

# The marks at the beginning of text that is not in UTF-8.
MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
WINDOWS = "cp1252"
# What is looked at to know how text is encoded.
LOOKED_AT = 1 << 24
NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def cannot_read(name: str, error: Exception) -> FileError:
    """An error of the system, or of a file that is cut short, in one sentence."""
    return FileError(f"cannot read {name}: {(getattr(error, 'strerror', None) or str(error) or 'cut short').lower()}")


def _most_unpacked(file: Path) -> int:
    return max(MOST_UNPACKED, TIMES * size_of(file, file.name))


def _unpacks_to_more(file: Path, name: str) -> FileError:
    return FileError(
        f"{name} unpacks to more than {_most_unpacked(file) >> 20:,} MB, over {TIMES} times its size, as no table of "
        "predictions does; unpack it first if you trust it"
    )


def _streamed(opener: Callable[..., Any], file: Path) -> Iterator[bytes]:
    with opener(file) as stream:
        while piece := stream.read(1 << 20):
            yield piece


def _zstandard(file: Path) -> Iterator[bytes]:
    """Python unpacks it from 3.14 on; before that DuckDB does, which reads lines of text: their ends become those of
    Unix."""
    if find_spec("_zstd") is not None:
        yield from _streamed(import_module("compression.zstd").open, file)
        return
    whole, most = _frames(file)
    if not whole:  # DuckDB reads what is there
        raise EOFError
    if most > _most_unpacked(file):
        raise _unpacks_to_more(file, file.name)
    import duckdb

    from trueerror.sources.engines._duckdb_tables import connect_alone, quoted

    with tempfile.TemporaryDirectory(prefix="trueerror-") as folder:
        packed = quoted(str(literal_path(file, Path(folder) / "packed.zst")))
        connection = connect_alone(Path(folder) / "spill")
        try:
            lines = connection.execute(
                f"SELECT line FROM read_csv({packed}, compression = 'zstd', auto_detect = false, header = false, "
                "columns = {'line': 'VARCHAR'}, delim = '', quote = '', escape = '', strict_mode = false, "
                f"parallel = false, max_line_size = {LONGEST_LINE:d}, buffer_size = {LONGEST_LINE + 1:d})"
            )
            while rows := lines.fetchmany(1 << 14):
                yield "".join([f"{line or ''}\n" for (line,) in rows]).encode()
        except duckdb.Error as error:
            raise UnicodeError(str(error)) from None
        finally:
            connection.close()


def _frames(file: Path) -> tuple[bool, int]:
    """Whether a file packed by Zstandard ends where its last frame does, and to how much it unpacks at most (RFC 8878,
    section 3.1)."""
    most = 0
    with file.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        while stream.tell() < size:
            head = stream.read(5).ljust(5, b"\xff")
            if head[0] & 0xF0 == 0x50 and head[1:4] == b"\x2a\x4d\x18":  # not to be unpacked
                stream.seek(int.from_bytes(head[4:] + stream.read(3), "little"), os.SEEK_CUR)
                continue
            if head[:4] != PACKED["zst"][0]:
                return False, 0
            flags, last = head[4], False
            single = flags >> 5 & 1
            window = int.from_bytes(stream.read(1 - single), "little")
            stream.seek((0, 1, 2, 4)[flags & 3], os.SEEK_CUR)
            content = int.from_bytes(stream.read((single, 2, 4, 8)[flags >> 6]), "little") + 256 * (flags >> 6 == 1)
            # A block unpacks to the window at most, which is the whole frame of a single segment.
            block_most = min(1 << 17, content if single else (8 + (window & 7)) << (7 + (window >> 3)))
            while not last:
                block = stream.read(3)
                if len(block) < 3:
                    return False, 0
                bits = int.from_bytes(block, "little")
                last, most = bool(bits & 1), most + block_most
                stream.seek(1 if bits >> 1 & 3 == 1 else bits >> 3, os.SEEK_CUR)
            stream.seek(4 * (flags >> 2 & 1), os.SEEK_CUR)
        return stream.tell() == size, most


# Packed files by their first bytes, since what comes through a pipe has no ending.
PACKED: dict[str, tuple[bytes, Callable[[Path], Iterator[bytes]]]] = {
    "gz": (b"\x1f\x8b", partial(_streamed, gzip.open)),
    "bz2": (b"BZh", partial(_streamed, bz2.BZ2File)),
    "xz": (b"\xfd7zXZ\x00", partial(_streamed, lzma.LZMAFile)),
    "zst": (b"\x28\xb5\x2f\xfd", _zstandard),
}


def first_bytes(file: Path, name: str) -> bytes:
    """The first bytes as they stand in the file."""
    try:
        with file.open("rb") as stream:
            return stream.read(1024)
    except OSError as error:
        raise cannot_read(name, error) from None


def packed_by(file: Path) -> str | None:
    """How a file is packed, by its first bytes or else its ending; None where it is not."""
    head = first_bytes(file, file.name)
    for kind, (magic, _) in PACKED.items():
        # Text may begin with BZh, too: behind it the packed file has a digit and the first digits of pi.
        if head.startswith(magic) and (kind != "bz2" or head[4:8] in (b"1AY&", b"\x17rE8")):
            return kind
    ending = file.suffix.lower().removeprefix(".")
    return ending if ending in PACKED and ending != "gz" else None


def pieces_of(file: Path, name: str) -> Iterator[bytes]:
    """What a file holds, unpacked, one piece after the other."""
    kind = None
    try:
        kind = packed_by(file)
        most, total = _most_unpacked(file), 0
        for piece in _streamed(io.FileIO, file) if kind is None else PACKED[kind][1](file):
            total += len(piece)
            if kind is not None and total > most:
                raise _unpacks_to_more(file, name)
            yield piece
    except (FileError, MemoryError):
        raise
    except UnicodeError:
        raise FileError(f"{name} is damaged, or holds other than lines of UTF-8: unpack it first, by zstd -d") from None
    except Exception as error:  # noqa: BLE001 (a format's own class of errors among them)
        if kind is None or (isinstance(error, OSError) and error.errno is not None):
            raise cannot_read(name, error) from None
        raise FileError(f"{name} is not a complete {'gzip' if kind == 'gz' else kind} file") from None


class _Stream(io.RawIOBase):
    """Pieces as a stream."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts, self.rest = parts, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.rest = self.rest or memoryview(next(self.parts, b""))
        size = min(len(buffer), len(self.rest))
        buffer[:size], self.rest = self.rest[:size], self.rest[size:]
        return size


def stream_of(file: Path, name: str) -> IO[bytes]:
    """A file as a stream of what it holds, unpacked."""
    return io.BufferedReader(_Stream(pieces_of(file, name)))


def head_of(file: Path, size: int = 8192) -> bytes:
    """The first bytes, unpacked; none of what cannot be read, which whoever reads it on will say."""
    try:
        with stream_of(file, file.name) as stream:
            return stream.read(size)
    except FileError:
        return b""


def tail_of(file: Path, size: int) -> bytes:
    """The last bytes, as they stand in the file."""
    try:
        with file.open("rb") as stream:
            stream.seek(-min(size, stream.seek(0, os.SEEK_END)), os.SEEK_END)
            return stream.read()
    except OSError:
        return b""


def encoding_of(file: Path, name: str) -> str | None:
    """How a text file that is not in UTF-8 is encoded: by its mark, by its zeros (UTF-16), or else Windows-1252, which
    is Latin-1 with more letters; None for UTF-8, and for what is no text."""
    with stream_of(file, name) as stream:
        text = stream.read(1 << 18)
        if text[:2] in MARKS or file.suffix.lower() in (".parquet", ".pq") or text[:4] == b"PAR1":
            return MARKS.get(text[:2])
        if b"\x00" in text:
            zeros = [text[start::2].count(0) / max(len(text[start::2]), 1) for start in (0, 1)]
            low, high = (zeros[i] > 0.5 > 10 * zeros[1 - i] for i in (0, 1))
            return "utf-16-be" if low else "utf-16-le" if high else None
        text += stream.read(LOOKED_AT - len(text))
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and (len(text) == LOOKED_AT or not text[: error.start].isascii()):
            return None  # a letter that was cut off
        try:
            return WINDOWS if not NO_TEXT.search(text.decode(WINDOWS)) else None
        except UnicodeDecodeError:
            return None
    return None


def _memory(data: bytes) -> int:
    """How much memory text takes when it is parsed, at most."""
    return len(data) + 32 * data.count(b",") + 64 * data.count(b"[") + 200 * data.count(b"{")


def check_memory(
    file: Path, name: str, parts: Iterable[bytes], text: int = 1, line: int = 0, times: int = TIMES
) -> None:
    """Refuse what would take far more memory than a true file of its size, before it is parsed; a letter takes `text`
    bytes more, a line `line`."""
    most, taken = max(MOST_PARSED, times * size_of(file, name)), 0
    for part in parts:
        taken += _memory(part) + (text - 1) * len(part) + line * part.count(b"\n")
        if taken > most:
            raise FileError(
                f"{name} would take more than {most >> 20:,} MB of memory, over {times} times its size: unpack it "
                "first if you trust it, or write fewer rows"
            )


def size_of(file: Path, name: str) -> int:
    """The size of a file on disk."""
    try:
        return file.stat().st_size
    except OSError as error:
        raise cannot_read(name, error) from None


def lines_of(file: Path, name: str = "") -> Iterator[str]:
    """The lines of a text file, without their ends."""
    name = name or file.name
    check_memory(file, name, pieces_of(file, name), line=100)
    try:
        with io.TextIOWrapper(stream_of(file, name), encoding_of(file, name) or "utf-8-sig") as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise FileError(f"{name} has a line of more than {LONGEST_LINE >> 20:,} MB")
                yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise FileError(f"{name} is not a text file in UTF-8") from None


def whole_json(file: Path, name: str) -> Any:
    """The value of a file that holds JSON in one piece."""
    data: bytearray = bytearray()

    def kept() -> Iterator[bytes]:
        for piece in pieces_of(file, name):
            data.extend(piece)
            if len(data) > MOST_WHOLE:
                raise FileError(f"{name} holds more than {MOST_WHOLE >> 20:,} MB of JSON in one piece; split it")
            yield piece

    check_memory(file, name, kept(), text=2, times=TIMES if packed_by(file) else PLAIN_TIMES)
    try:
        text = data.decode(encoding_of(file, name) or "utf-8-sig")
        data.clear()
        return json_of(name, text)
    except UnicodeDecodeError:
        raise FileError(f"{name} is not a text file in UTF-8") from None


def json_of(name: str, text: str | bytes, where: str = "") -> Any:
    """JSON, or an error that names the file and the place."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"{name}{where}: not valid JSON at line {error.lineno}, column {error.colno}") from None
    except ValueError:  # text that is no UTF-8, and numbers of thousands of digits
        raise FileError(f"{name}{where}: not valid JSON at its text") from None
    except RecursionError:
        raise FileError(f"{name}{where} is nested too deeply") from None


def json_lines(file: Path) -> Iterator[tuple[int, Any]]:
    """The number of each line and its value."""
    for number, line in enumerate(lines_of(file), 1):
        if line.strip():
            yield number, json_of(file.name, line, f", line {number}")


def csv_rows(file: Path) -> list[list[str]]:
    """The header and the rows of a CSV file, all of one length."""
    csv.field_size_limit(LONGEST_LINE)
    rows = [row for row in csv.reader(f"{line}\n" for line in lines_of(file)) if row]
    ragged = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if len(rows) < 2 or ragged is not None:
        raise FileError(f"{file.name} holds no rows" if len(rows) < 2 else f"row {ragged} of {file.name} is cut short")
    return rows


def parquet_rows(file: Path) -> list[Any]:
    """The rows of a Parquet file with nested columns."""
    import duckdb

    from trueerror.sources.engines._duckdb_tables import connect_alone, listed

    texts: list[bytes] = []

    def kept() -> Iterator[bytes]:
        asked = connection.execute(f"SELECT to_json(r)::VARCHAR FROM read_parquet({paths}) AS r")
        while rows := asked.fetchmany(1 << 10):
            for (text,) in rows:
                texts.append(text.encode())
                yield texts[-1]

    with tempfile.TemporaryDirectory(prefix="trueerror-") as folder:
        connection = connect_alone(Path(folder))
        try:
            path = literal_path(file, Path(folder) / "rows.parquet")
            paths = listed([path])
            check_parquet(connection, [path], paths)
            check_memory(file, file.name, kept())
        except duckdb.Error as error:
            raise FileError(f"{file.name} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
        finally:
            connection.close()
    return [json_of(file.name, text) for text in texts]


def check_parquet(connection: Any, files: Iterable[Path], listed: str) -> None:
    """Parquet files say what they unpack to; a value takes a byte at least, however often it is repeated."""
    unpacked = connection.execute(
        "SELECT file_name, greatest(sum(total_uncompressed_size), sum(num_values)) "
        f"FROM parquet_metadata({listed}) GROUP BY 1"
    ).fetchall()
    most = {str(file): _most_unpacked(file) for file in files}
    large = next((name for name, amount in unpacked if amount > most.get(name, amount)), None)
    if large is not None:
        raise _unpacks_to_more(Path(large), Path(large).name)


def check_archive(file: Path, members: Iterable[zipfile.ZipInfo], most: int, times: int) -> None:
    """Refuse members that unpack to more than true ones do; Python unpacks no more of one than the archive says."""
    total = sum(member.file_size for member in members)
    if total > max(most, times * size_of(file, file.name)):
        raise FileError(f"{file.name} unpacks to {total >> 20:,} MB, over {times} times its size, as no true one does")


def members_of(archive: zipfile.ZipFile, file: Path, members: Sequence[zipfile.ZipInfo]) -> Iterator[Any]:
    """The JSON of some members of an archive, in their order."""
    long = next((member.filename for member in members if member.file_size > LONGEST_LINE), None)
    if long is not None:
        raise FileError(f"{file.name}: {long} unpacks to more than {LONGEST_LINE >> 20:,} MB")
    check_archive(file, members, MOST_PARSED, TIMES)
    try:
        # Names are looked up once where Python unpacks, and all members at once where DuckDB does.
        packed = [m for m in members if m.compress_type == ZSTANDARD and find_spec("_zstd") is None]
        texts = dict(zip(packed, _zstandard_members(archive, file, packed), strict=True)) if packed else {}
        for member in members:
            text = texts[member] if member in texts else archive.read(member)
            check_memory(file, file.name, [text])
            yield json_of(file.name, text, f" ({member.filename})")
    except NotImplementedError:
        raise FileError(f"{file.name} is packed in a way that this Python cannot read: write it as JSON") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{file.name} is damaged: {error}") from None


# What stands between members that are unpacked together, as a frame of Zstandard: one block that is not packed.
BETWEEN = b"\n\x1e\n"
FRAME = PACKED["zst"][0] + bytes([0x20, len(BETWEEN)]) + (len(BETWEEN) << 3 | 1).to_bytes(3, "little") + BETWEEN


def _zstandard_members(archive: zipfile.ZipFile, file: Path, members: Sequence[zipfile.ZipInfo]) -> list[bytes]:
    """Members that are packed by Zstandard, unpacked in one piece; each is within what the archive says."""
    with tempfile.TemporaryDirectory(prefix="trueerror-") as folder:
        packed = Path(folder) / "members.zst"
        packed.write_bytes(b"".join(_packed(archive, member) + FRAME for member in members))
        texts = b"".join(pieces_of(packed, file.name)).split(BETWEEN)[:-1]
    if any(len(text) > member.file_size for member, text in zip(members, texts, strict=True)):
        raise zipfile.BadZipFile("it unpacks to more than it says")
    return texts


def _packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member as they stand in the zip, behind its local header of 30 bytes, a name and extra fields."""
    stream = archive.fp
    assert stream is not None
    stream.seek(member.header_offset)
    head = stream.read(30)
    if head[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"{member.filename} has no header")
    stream.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    return stream.read(member.compress_size)


def literal_path(file: Path, link: Path) -> Path:
    """A path that DuckDB takes literally: one with pattern characters or not in UTF-8 is reached by a link."""
    whole = file.absolute()
    if not re.search(r"[*?\[\]{}\x00-\x1f\ud800-\udfff]", str(whole)):
        return whole
    try:
        link.symlink_to(whole.resolve())
    except OSError:
        shutil.copyfile(whole, link)
    return link


def is_piped(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pipe or a socket, which can be read once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


# Names of what is open already. A socket cannot be opened by its name, and a program that starts others by sockets
# gives them one as standard input.
DESCRIPTOR = re.compile(r"/dev/stdin|(?:/dev|/proc/self)/fd/(\d+)")


def copy_pipe(path: str | os.PathLike[str], target: Path) -> Path:
    """All that comes through a pipe, as a file that can be opened again and again."""
    number = DESCRIPTOR.fullmatch(os.fspath(path))
    if number is not None:
        source, first = os.dup(int(number[1] or 0)), b""
    else:
        source, first = _written_to(path)
    with os.fdopen(source, "rb") as stream:
        save_stream(stream, target, os.path.basename(path), first)
    return target


def _written_to(path: str | os.PathLike[str]) -> tuple[int, bytes]:
    """A pipe to which somebody writes, with what came already: without a writer, opening it would wait for ever."""
    if not hasattr(os, "O_NONBLOCK"):
        return os.open(path, os.O_RDONLY), b""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    end = time.monotonic() + PATIENCE
    try:
        first = b""
        while not first:
            try:
                first = os.read(number, 1 << 16)
            except BlockingIOError:  # somebody will write
                break
            if not first and time.monotonic() > end:
                raise FileError(f"nobody writes to the pipe {os.path.basename(path)}")
            time.sleep(0 if first else 0.01)
        os.set_blocking(number, True)
    except BaseException:
        os.close(number)
        raise
    return number, first


def save_stream(stream: IO[bytes], target: Path, name: str, first: bytes = b"") -> None:
    """A stream as a file; one that has no end is refused before the disk is full."""
    most = min(MOST_PIPED, shutil.disk_usage(target.parent).free // 2)
    piece, total = first or stream.read(1 << 20), 0
    if len(piece) > 1 << 12 and not piece.strip(b"\x00"):
        raise FileError(f"{name} gives nothing but zeros: it is no table")
    with target.open("wb") as out:
        while piece:
            total += len(piece)
            if total > most:
                raise FileError(f"{name} gives more than {most >> 30:,} GB; save it to a file first")
            out.write(piece)
            piece = stream.read(1 << 20)


def save_stdin(target: Path) -> Path:
    """Standard input as a file."""
    text = sys.stdin is not None and not hasattr(sys.stdin, "buffer")
    stream = io.BytesIO(sys.stdin.read().encode() if text else b"") if text or sys.stdin is None else sys.stdin.buffer
    save_stream(stream, target, "standard input")
    return target
