"""A comparison as one HTML file that a colleague opens without the app: no network, everything escaped, a CSP."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from viewer.comparison.account import account, outcome_sentence, row_sentence
from viewer.comparison.difference import Piece, asked, compared_text, word_difference
from viewer.comparison.metric_table import MetricRow
from viewer.comparison.star import LETTERS, Star, StarRow
from viewer.comparison.task import same_task
from viewer.exports.markup import Markup, joined, tag
from viewer.exports.page_style import style
from viewer.figures.inline import inline, plotly_script
from viewer.figures.theme import GLYPHS, STATE_WORDS, Theme
from viewer.graphs.telling import telling
from viewer.masking import masked
from viewer.model import ToolCall, Trajectory
from viewer.source import Source

TEXT: Final = 20_000
"""Characters of one payload."""
PAYLOADS: Final = 12_000_000
"""Characters of all payloads together; rows that differ come first."""
KINDS: Final = {
    "same": "same",
    "changed_arguments": "changed arguments",
    "changed_result": "changed result",
    "moved": "moved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A plotly figure, its heading (ours), and its sentence (may quote the trace)."""

    title: str
    figure: Any
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A comparison to be taken away. ``names``, ``files`` and ``values`` are what the page shows; names untrusted.

    ``values`` has the metrics' words, a row a metric and a cell a run.
    """

    found: Star
    runs: Sequence[Trajectory]
    sources: Sequence[Source]
    names: Sequence[str]
    files: Sequence[str]
    metrics: Sequence[MetricRow]
    values: Sequence[Sequence[str]]
    pictures: Sequence[Picture]
    theme: Theme


def comparison_page(taken: Taken) -> bytes:
    """UTF-8. Payloads are cut after 20,000 characters each, secrets in them are masked; what is left out is said."""
    title = f"{len(taken.runs)} runs compared"
    drawn = [
        inline(picture.figure, f"picture-{at}", masked(picture.sentence), masked)
        for at, picture in enumerate(taken.pictures)
    ]
    script = "\n".join([plotly_script(), *(figure.script for figure in drawn)]) if drawn else ""
    # the hash is taken over the very characters between the tags; CRLF would be read as LF
    script = script.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    body = joined(
        _header(taken, title),
        _runs(taken),
        (
            tag(
                "section",
                tag("h2", picture.title),
                Markup(figure.place),
                tag("p", masked(picture.sentence), class_="muted"),
            )
            for picture, figure in zip(taken.pictures, drawn, strict=True)
        ),
        _rows(taken),
        _metrics(taken),
        _answers(taken),
        _footer(taken),
    )
    head = joined(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Markup(style(taken.theme))),
    )
    page = tag(
        "html", tag("head", head), tag("body", tag("main", body), Markup(f"<script>{script}</script>")), lang="en"
    )
    return f"<!doctype html>\n{page}\n".encode("utf-8", "replace")


def _header(taken: Taken, title: str) -> Markup:
    task = {True: "The same task.", False: "Different tasks.", None: "Not every file names its task."}
    jumps = [
        tag("a", f"{words}: row {row + 1}", href=f"#row-{row + 1}", class_="jump")
        for words, row in (
            ("First divergence", taken.found.first_divergence),
            ("Decisive", taken.found.decisive),
            ("First sustained divergence", taken.found.first_sustained_divergence),
        )
        if row is not None
    ]
    text = next((run.task for run in taken.runs if run.task), None)
    return tag(
        "header",
        tag("h1", title),
        tag("p", tag("b", f"{task[same_task(taken.runs)]} {outcome_sentence(taken.runs)}")),
        tag("p", masked(account(taken.found, taken.runs))),
        tag("p", jumps, class_="jumps") if jumps else None,
        tag("details", tag("summary", "The task"), _text(text)) if text else None,
    )


def _letter(run: int) -> Markup:
    return tag("b", LETTERS[run], class_=f"run run-{run % 4}")


def _runs(taken: Taken) -> Markup:
    head = ("", "harness", "version", "model", "outcome", "how it ended", "calls", "rows read", "file")
    lines = []
    for at, (run, file) in enumerate(zip(taken.runs, taken.files, strict=True)):
        outcome = {"passed": "✔ passed", "failed": "✖ failed", None: "not recorded"}[run.outcome]
        cover = run.coverage
        read = "all" if not cover.not_understood else f"{cover.rows - cover.not_understood:,} of {cover.rows:,}"
        cells: tuple[str, ...] = (
            run.harness or run.format,
            run.harness_version or "",
            run.model or "not recorded",
            outcome,
            run.ending or "not recorded",
            f"{len(run.main_line):,}",
            read,
            file,
        )
        marked = (tag("td", cell, class_=run.outcome if cell == outcome else None) for cell in cells)
        lines.append(tag("tr", tag("td", _letter(at)), marked))
    return tag("section", tag("h2", "Runs"), _table(head, lines))


def _table(head: Sequence[str], lines: Sequence[Markup]) -> Markup:
    return tag("table", tag("thead", tag("tr", (tag("th", cell) for cell in head))), tag("tbody", lines))


def _metrics(taken: Taken) -> Markup:
    head = ("metric", *LETTERS[: len(taken.runs)], "what it is")
    lines = [
        tag(
            "tr",
            tag("td", row.label),
            (tag("td", value, class_="number") for value in values),
            tag("td", row.definition, class_="muted"),
            class_="differs" if row.differs else None,
        )
        for row, values in zip(taken.metrics, taken.values, strict=True)
    ]
    return tag("section", tag("h2", "Metrics"), _table(head, lines))


def _rows(taken: Taken) -> Markup:
    bodies = _bodies(taken)
    marks = {
        taken.found.first_divergence: "first divergence",
        taken.found.first_sustained_divergence: "sustained divergence",
        taken.found.decisive: "decisive",
    }
    left_out = tag("p", "Its payloads are left out of this file: open the runs.", class_="muted")
    lines = [
        tag(
            "details",
            tag(
                "summary",
                tag("span", str(at + 1), class_="number"),
                tag("span", _kind(row), tag("em", marks[at]) if at in marks else None, class_=f"kind {row.kind}"),
                (_cell(taken, run, row) for run in range(len(taken.runs))),
            ),
            # the address of a row is inside of what unfolds, so that a link to it opens it without a script
            tag("div", bodies.get(at, left_out), id=f"row-{at + 1}"),
            class_="row",
            open=at == taken.found.decisive,
        )
        for at, row in enumerate(taken.found.rows)
    ]
    head = tag(
        "div",
        tag("span", "row"),
        tag("span", "kind"),
        (tag("span", _letter(run), " ", name) for run, name in enumerate(taken.names)),
        class_="row head",
    )
    return tag(
        "section", tag("h2", f"{len(taken.found.rows):,} aligned rows"), head, lines,
        style=f"--runs: {len(taken.runs)}", class_="rows",
    )  # fmt: skip


def _kind(row: StarRow) -> str:
    if row.kind == "partial":
        return "only in " + " ".join(LETTERS[run] for run in row.present)
    if row.kind == "same" and row.unsaid:
        return "edit not recorded"
    return KINDS[row.kind]


def _cell(taken: Taken, run: int, row: StarRow) -> Markup:
    index = row.calls[run]
    if index is None:
        return tag("span", "—", class_="muted")
    call = taken.runs[run].calls[index]
    said = masked(telling(call, taken.runs[run].directory))[:200]
    bad = "error" if call.state not in ("ok", "ok_empty") else None
    return tag("span", f"{GLYPHS[call.state]} #{index + 1} {call.name}  ", tag("code", said), class_=bad)


def _bodies(taken: Taken) -> dict[int, Markup]:
    """What each row unfolds to, rows that differ first, until the room is used up."""
    bodies: dict[int, Markup] = {}
    used = 0
    rows = taken.found.rows
    for at in sorted(range(len(rows)), key=lambda number: (rows[number].kind == "same", number)):
        if used > PAYLOADS:
            break
        bodies[at] = _body(taken, rows[at])
        used += len(bodies[at])
    return bodies


def _body(taken: Taken, row: StarRow) -> Markup:
    groups = row.groups
    first = masked(compared_text(_call(taken, row, groups[0][0]))[:TEXT])
    differences = [
        tag(
            "div",
            tag("h4", f"What differs: struck out in {_names(groups[0])}, underlined in {_names(group)}"),
            _words(word_difference(first, masked(compared_text(_call(taken, row, group[0]))[:TEXT]))),
        )
        for group in groups[1:]
    ]
    return tag(
        "div",
        tag("p", masked(row_sentence(row, taken.runs))),
        tag("div", (_payload(taken, row, run) for run in row.present), class_="payloads"),
        differences,
        class_="body",
    )


def _names(runs: Sequence[int]) -> str:
    return " ".join(LETTERS[run] for run in runs)


def _call(taken: Taken, row: StarRow, run: int) -> ToolCall:
    index = row.calls[run]
    assert index is not None
    return taken.runs[run].calls[index]


def _words(pieces: Sequence[Piece]) -> Markup:
    names = {"same": "span", "gone": "del", "new": "ins"}
    return tag("pre", (tag(names[kind], text) for kind, text in pieces), tabindex="0")


def _payload(taken: Taken, row: StarRow, run: int) -> Markup:
    call = _call(taken, row, run)
    code = call.result.exit_code if call.result else None
    state = STATE_WORDS[call.state] + (f" · exit {code}" if code else "")
    result = call.result.text if call.result else None
    return tag(
        "div",
        tag("h3", _letter(run), f" #{call.index + 1} {call.name} · {state}"),
        _text(asked(call)),
        tag("h4", "Result" if result else "No result" if result is None else "Empty result"),
        _text(result) if result else None,
        _raw(taken, call, run),
    )


def _raw(taken: Taken, call: ToolCall, run: int) -> Markup | None:
    source = taken.sources[run]
    if call.where.row < 0:
        return None
    start, end = source.byte_range(call.where)
    owner = source.owner(call.where)
    words = f"Raw · row {call.where.row + 1:,} · line {owner.line(call.where.row):,} · bytes {start:,}–{end:,}"
    return tag(
        "details",
        tag("summary", words),
        _text(source.raw(call.where)[: 4 * TEXT].decode("utf-8", "replace")),
    )


def _text(text: str) -> Markup:
    """A text that scrolls when it is long, by keys, too."""
    return tag("pre", _cut(text) or " ", tabindex="0")


def _cut(text: str) -> str:
    """Masked, and at most so long; says what is missing."""
    if len(text) <= TEXT:
        return masked(text)
    return f"{masked(text[:TEXT])}\n… {len(text) - TEXT:,} more characters"


def _answers(taken: Taken) -> Markup:
    def parts() -> Iterator[Markup]:
        for at, run in enumerate(taken.runs):
            yield tag("h3", _letter(at), " says" if run.claim else ": the file has no final text")
            if run.claim:
                yield _text(run.claim)

    return tag("section", tag("h2", "Final answers"), parts())


def _footer(taken: Taken) -> Markup:
    return tag(
        "footer",
        tag(
            "p",
            "Made by the trajectory viewer. This file asks no other machine for anything. Texts are cut after "
            f"{TEXT:,} characters; what looks like a secret is masked, which finds the known shapes only.",
        ),
    )
