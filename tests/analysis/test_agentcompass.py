"""AgentCompass's analyzers on tiny runs: what the oracle has no case for."""

from dataclasses import replace

from tests.trajectories import By, Say, trajectory
from viewer.analysis.agentcompass import ANALYZERS, agentcompass, as_shipped, percentile
from viewer.analysis.repetition import repetition


def test_every_analyzer_is_there() -> None:
    assert tuple(agentcompass(trajectory("Read a"))) == ANALYZERS
    assert tuple(agentcompass(trajectory())) == ANALYZERS


def test_no_steps_have_only_basic_zeros() -> None:
    found = agentcompass(trajectory())
    assert found.pop("BasicMetricAnalyzer")["total_steps"] == 0
    assert set(map(len, found.values())) == {0}


def test_times_below_zero_and_missing_ones_are_left_out() -> None:
    run = trajectory(Say("a", model_seconds=-2.0), Say("b", model_seconds=0.1), Say("c"), Say("d", model_seconds=0.3))
    assert agentcompass(run)["LLMInferLatencyAnalyzer"] == {
        "metric": "llm_infer_ms", "total_steps": 2, "mean_ms": 200.0, "p50_ms": 200.0, "p90_ms": 280.0,
        "p95_ms": 290.0, "max_ms": 300.0,
    }  # fmt: skip
    assert agentcompass(run)["ToolExecutionLatencyAnalyzer"] == {}


def test_percentile_is_linear_between_ranks() -> None:
    assert [percentile([10, 20, 30, 40], percent) for percent in (0, 50, 90, 100)] == [10, 25, 37, 40]


def test_cut_off_replies() -> None:
    run = trajectory(
        Say("a", stop_reason="max_tokens"), Say("b", stop_reason="end_turn"), Say("c", stop_reason="length")
    )
    assert agentcompass(run)["TruncationAnalyzer"] == {
        "total_llm_steps": 3, "truncated_steps": 2, "truncation_ratio": 0.6667, "truncated_step_ids": [1, 3],
    }  # fmt: skip


def test_replies_above_the_limit() -> None:
    found = agentcompass(trajectory(Say("a", tokens=131_072), Say("b", tokens=131_073), Say("c")))
    assert found["CompletionLengthAnalyzer"] == {
        "total_llm_steps": 3, "max_tokens_threshold": 131_072, "exceeded_steps": 1, "exceeded_ratio": 0.3333,
        "mean_completion_tokens": 131_072.5, "max_completion_tokens": 131_073, "exceeded_step_ids": [2],
    }  # fmt: skip


def test_empty_replies() -> None:
    run = trajectory(Say(" \n", reasoning="hm " * 100), "Read a", Say("Done."), Say("", marker="no reply"))
    assert agentcompass(run)["EmptyContentAnalyzer"] == {
        "total_steps": 4, "bad_steps": 1, "score": 0.25,
        "bad_step_details": [{"step_id": 1, "reasoning_preview": ("hm " * 100)[:200]}],
    }  # fmt: skip


def test_volatile_arguments_count_for_agentcompass() -> None:
    """Its users see two calls; ``repetition`` sees one call twice."""
    run = trajectory("bash ls", "bash ls")
    assert isinstance(run.calls[1].arguments, dict)
    again = replace(run.calls[1], arguments={**run.calls[1].arguments, "description": "Look again"})
    run = replace(run, calls=(run.calls[0], again))
    assert agentcompass(run)["CrossStepToolRepetitionAnalyzer"]["total_duplicates"] == 0
    assert repetition(run).repeated == 1


def test_only_five_short_runs_are_told() -> None:
    steps = [step for number in range(7) for step in (f"Read {number}", f"Read {number}")]
    found = agentcompass(trajectory(*steps))["ConsecutiveToolRepetitionAnalyzer"]
    assert (found["total_runs"], len(found["long_runs"])) == (7, 5)


def test_rows_are_within_one_agent() -> None:
    run = trajectory("Read a", By("sub", "Read a"), "Read a", By("sub", "Read a"), "Read a")
    found = agentcompass(run)["ConsecutiveToolRepetitionAnalyzer"]
    assert found["max_consecutive_repetition"] == 3
    assert [(row["start_step"], row["end_step"]) for row in found["long_runs"]] == [(1, 5), (2, 4)]


def test_the_release_reads_no_other_file() -> None:
    assert as_shipped(trajectory("Read a")) is None
