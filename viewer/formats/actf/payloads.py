"""Where AgentCompass's attempts stand in a source: alone, as a bare trajectory, a list of steps, or in a task file."""

from __future__ import annotations

from dataclasses import dataclass

from viewer.lenient import items, mapping
from viewer.model import Json, Where
from viewer.source import Source


@dataclass(frozen=True, slots=True)
class Payload:
    """One attempt: the object with status and metrics (empty for a bare trajectory), and where its steps stand."""

    payload: dict[str, Json]
    trajectory: dict[str, Json]
    steps: list[Json]
    row: int | None
    pointer: tuple[str | int, ...]
    """Of the steps; empty with ``row`` None when each step is a row."""
    root: tuple[str | int, ...] = ()
    """Of the payload."""
    attempt: str | None = None

    def where(self, index: int) -> Where:
        """The place of a step."""
        return Where(row=index) if self.row is None else Where(row=self.row, pointer=(*self.pointer, index))


def is_document(row: dict[str, Json]) -> bool:
    """The row is an attempt's payload, a bare trajectory, or a task file that holds payloads."""
    if _is_retry(row):
        return False
    if _is_payload(row) or _is_trajectory(row):
        return True
    attempts = row.get("attempts")
    return isinstance(attempts, dict) and any(_is_payload(mapping(payload)) for payload in attempts.values())


def _is_retry(row: dict[str, Json]) -> bool:
    return str(row.get("schema_version")).startswith("agentcompass.")


def _is_payload(row: dict[str, Json]) -> bool:
    if "trajectory" not in row or isinstance(row["trajectory"], list):
        return False
    return _is_trajectory(row["trajectory"]) or {"status", "metrics"} <= row.keys()


def _is_trajectory(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    if str(value.get("schema_version")).startswith("ACTF"):
        return True
    return any(is_step(step) for step in items(value.get("steps"))[:50])


def is_step(value: Json) -> bool:
    """The value is a step of a trajectory."""
    return isinstance(value, dict) and "assistant_content" in value


def payloads(source: Source) -> list[Payload]:
    """Every attempt of the source, in file order."""
    if source.head and not is_document(source.head[0]):
        return [Payload({}, {}, source.values, None, ())]
    found: list[Payload] = []
    for row, value in enumerate(source.values):
        if not isinstance(value, dict):
            continue
        attempts = value.get("attempts")
        if isinstance(attempts, dict) and "trajectory" not in value:
            for key, payload in attempts.items():
                if isinstance(payload, dict):
                    found.append(_payload(payload, row, ("attempts", key), key))
        elif "trajectory" in value:
            found.append(_payload(value, row, ()))
        else:
            found.append(Payload({}, value, items(value.get("steps")), row, ("steps",)))
    return found


def _payload(payload: dict[str, Json], row: int, root: tuple[str | int, ...], attempt: str | None = None) -> Payload:
    trajectory = mapping(payload.get("trajectory"))
    return Payload(
        payload, trajectory, items(trajectory.get("steps")), row, (*root, "trajectory", "steps"), root, attempt
    )
