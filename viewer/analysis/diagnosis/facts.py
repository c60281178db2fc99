"""What the rules look at, computed once a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from viewer.analysis.errors import failed_checks, first_unrecovered
from viewer.analysis.loops import Loop, loops
from viewer.analysis.scope import worked
from viewer.model import Step, ToolCall, Trajectory
from viewer.tool_calls import Effect, effects


@dataclass(frozen=True)
class Facts:
    """A run as the rules see it: its main line, in file order, with what each call does."""

    run: Trajectory

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """The main line's calls, sub-agents included."""
        return self.run.main_line

    @cached_property
    def effect(self) -> tuple[Effect, ...]:
        """(effect, target) by call index."""
        return effects(self.run)

    @cached_property
    def checks(self) -> frozenset[int]:
        """Errors that are answers: failed tests, grep without a match."""
        return failed_checks(self.run)

    @cached_property
    def unrecovered(self) -> int | None:
        """The first error that nothing made good."""
        return first_unrecovered(self.run)

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Loops, longest first."""
        return loops(self.run)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The main line's model steps."""
        return tuple(step for step in self.run.steps if step.role == "model" and step.line == "main")

    @cached_property
    def last_step(self) -> Step | None:
        """The main agent's last step: where the final message stands."""
        return next((step for step in reversed(self.steps) if step.agent is None), None)

    @cached_property
    def closing(self) -> int | None:
        """The last call of a run that ended normally with it: a submission has no result to wait for."""
        last = self.last_step
        return last.calls[-1] if last is not None and last.calls and self.run.ending == "ended" else None

    @cached_property
    def tests(self) -> tuple[ToolCall, ...]:
        """The calls that run tests, linters or type checkers."""
        return tuple(call for call in self.calls if self.effect[call.index].effect == "test")

    @cached_property
    def edits(self) -> tuple[ToolCall, ...]:
        """Edits and writes that went well."""
        return tuple(
            call
            for call in self.calls
            if self.effect[call.index].effect in ("edit", "write") and call.state in ("ok", "ok_empty")
        )

    @cached_property
    def _good(self) -> Mapping[tuple[str | None, object], int]:
        """(agent, signature or effect) -> index of the last call of it that went well."""
        found: dict[tuple[str | None, object], int] = {}
        for call in self.calls:
            if worked(call):
                found[call.agent, call.signature] = call.index
                found[call.agent, self.effect[call.index]] = call.index
        return found

    def recovered(self, call: ToolCall) -> bool:
        """A later call of the same agent, equal or of the same effect and target, went well."""
        keys = ((call.agent, call.signature), (call.agent, self.effect[call.index]))
        return any(self._good.get(key, -1) > call.index for key in keys)

    @cached_property
    def _order(self) -> Mapping[str | None, tuple[int, ...]]:
        order: dict[str | None, list[int]] = {}
        for call in self.calls:
            order.setdefault(call.agent, []).append(call.index)
        return {agent: tuple(indexes) for agent, indexes in order.items()}

    @cached_property
    def _place(self) -> Mapping[int, int]:
        return {index: place for indexes in self._order.values() for place, index in enumerate(indexes)}

    def next_call(self, call: ToolCall) -> ToolCall | None:
        """The same agent's next call."""
        order, place = self._order[call.agent], self._place[call.index] + 1
        return self.run.calls[order[place]] if place < len(order) else None

    def next_step(self, step: Step) -> Step | None:
        """The same agent's next model step."""
        return next((other for other in self._steps_of(step.agent) if other.index > step.index), None)

    def _steps_of(self, agent: str | None) -> Sequence[Step]:
        return [step for step in self.steps if step.agent == agent]

    def before(self, call: ToolCall, count: int) -> tuple[ToolCall, ...]:
        """The same agent's last ``count`` calls before this one."""
        order, place = self._order[call.agent], self._place[call.index]
        return tuple(self.run.calls[index] for index in order[max(0, place - count) : place])


def result_text(call: ToolCall) -> str:
    """The text of a call's result; "" without one."""
    return call.result.text if call.result else ""
