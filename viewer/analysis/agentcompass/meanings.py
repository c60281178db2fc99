"""What each of AgentCompass's analyzers measures, in a sentence, as its source defines it."""

from __future__ import annotations

from typing import Final

from viewer.analysis.repetition import CONSECUTIVE_THRESHOLD, THRESHOLD

MEANINGS: Final[dict[str, str]] = {
    "BasicMetricAnalyzer": "Calls over all steps; completion tokens over the steps that state a value.",
    "StepToolRepetitionAnalyzer": "Equal calls within a step but the first of each, over all calls.",
    "CrossStepToolRepetitionAnalyzer": "The same count pooled over the run, so it includes those within a step.",
    "ConsecutiveToolRepetitionAnalyzer": "Most steps in a row with equal calls; a step without calls ends the row.",
    "TerminalBench2ConsecutiveToolRepetitionAnalyzer": "The same without rows that only wait, told apart in wait_runs.",
    "NetworkOperationAnalyzer": "Steps in which a call reaches the network, over steps with calls.",
    "LLMInferLatencyAnalyzer": "Milliseconds of the model by step; linear percentiles; values below zero left out.",
    "ToolExecutionLatencyAnalyzer": "Milliseconds of tools by step; linear percentiles; values below zero left out.",
    "TrajectoryTimeCostAnalyzer": "From the run's first recorded time to its last.",
    "CompletionLengthAnalyzer": "Replies of more completion tokens than the threshold.",
    "TruncationAnalyzer": "Replies that stopped for length or max_tokens.",
    "EmptyContentAnalyzer": "Replies with blank content and no calls, over all steps.",
}
LIMITS: Final[dict[str, float]] = {
    "step_repetition_ratio": THRESHOLD,
    "cross_step_repetition_ratio": THRESHOLD,
    "max_consecutive_repetition": float(CONSECUTIVE_THRESHOLD),
    "network_op_ratio": 0.2,
}
"""Above these a value is bad: AgentCompass's own, but for the last, whose 20.0 can never fire on a ratio."""
