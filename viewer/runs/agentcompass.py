"""AgentCompass results, an attempt a folder.

``<model>_<benchmark>_<harness>/<run>/details/[<state>/]<task>--<sha256>/attempt-<n>/result.json``. The state folder
(normal, error, fatal, running) is the *error* state, not correctness. ``retries/`` holds earlier executions of an
attempt. An attempt without result.json is unfinished; its checkpoint may say why.
"""

from __future__ import annotations

import re
from dataclasses import replace

from viewer.lenient import mapping, text
from viewer.model import Note
from viewer.runs.claim import Claim, Context
from viewer.runs.entry import Facts
from viewer.runs.folder import Folder

_ATTEMPT = re.compile(r"attempt-(\d+)")
_TASK = re.compile(r"(.+)--[0-9a-f]{64}")
_STATES = ("normal", "error", "fatal", "running")
_RUN_FILES = (
    "run_info.json", "params.json", "progress.json", "metrics.json", "analysis_summary.json", "checkpoint.json",
)  # fmt: skip


def layout(claim: Claim) -> Context:
    """Claims bookkeeping and attempts; what it learns goes down to the folders below."""
    folder, context = claim.folder, claim.context
    if "run_info.json" in folder.files or ("details" in folder.folders and "metrics.json" in folder.files):
        context = replace(context, attempts=True, facts=_request(folder).over(context.facts))
        claim.bookkeeping(_RUN_FILES)
    if (match := _TASK.fullmatch(folder.name)) and any(map(_ATTEMPT.fullmatch, folder.folders)):
        task = text(folder.object("task.json").get("task_id")) or match[1]
        context = replace(context, attempts=True, facts=Facts(task=task, notes=_state(folder)).over(context.facts))
        claim.bookkeeping(["task.json"])
    if (attempt := _ATTEMPT.fullmatch(folder.name)) and (
        context.attempts or {"checkpoint.json", "result.json"} & folder.files.keys()
    ):
        _attempt(claim, int(attempt[1]), context)
    return context


def _attempt(claim: Claim, number: int, context: Context) -> None:
    folder = claim.folder
    facts = context.facts.over(Facts(attempt=number, task=_task_above(folder)))
    checkpoint = mapping(folder.object("checkpoint.json").get("scheduler"))
    claim.bookkeeping(["checkpoint.json"])
    claim.context = context
    if "result.json" in folder.files:
        claim.entry(("result.json",), facts)
    else:
        entry = claim.entry(("result.json",), facts)
        status = text(checkpoint.get("status")) or "unknown"
        why = text(checkpoint.get("error"))
        claim.entries[-1] = replace(
            entry,
            state="unfinished",
            reason=f"Attempt {number} left no result.json: its checkpoint says {status}{f' ({why})' if why else ''}."
            if checkpoint
            else f"Attempt {number} left no result.json.",
        )
    retries = folder.folders.get("retries")
    if retries is None:
        return
    spoken = set()
    for execution, name in enumerate(_in_order(retries), start=1):
        if "result.json" in retries.folders[name].files:
            spoken.add(path := f"{name}/result.json")
            claim.entry((f"retries/{path}",), replace(facts, execution=execution))
    claim.swallow("retries", spoken)


def _in_order(retries: Folder) -> list[str]:
    """Earlier executions by the time of their result; their names are random."""
    times = {name: folder.files.get("result.json") for name, folder in retries.folders.items()}
    return sorted(times, key=lambda name: (file.modified or 0 if (file := times[name]) else 0, name))


def _task_above(folder: Folder) -> str | None:
    above = f"{folder.place.root or folder.place.name}/{folder.path}".rstrip("/").split("/")
    match = _TASK.fullmatch(above[-2]) if len(above) > 1 else None
    return match[1] if match else None


def _state(folder: Folder) -> tuple[Note, ...]:
    parts = folder.path.split("/")
    state = parts[-2] if len(parts) > 1 else None
    if state not in _STATES or state == "normal":
        return ()
    return (Note(code="agentcompass_state", text=f"AgentCompass keeps this attempt under {state!r}."),)


def _request(folder: Folder) -> Facts:
    request = mapping(folder.object("run_info.json").get("request"))
    return Facts(
        benchmark=text(mapping(request.get("benchmark")).get("id")),
        harness=text(mapping(request.get("harness")).get("id")),
        model=text(mapping(request.get("model")).get("id")),
    )
