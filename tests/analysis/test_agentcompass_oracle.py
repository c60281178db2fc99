"""Against what AgentCompass 1.0.1 really answered: the cases of shared/oracle and the analyses of recorded runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.places import SHARED
from viewer import formats
from viewer.analysis.agentcompass import ANALYZERS, agentcompass, as_shipped
from viewer.analysis.network import network_labels
from viewer.model import ToolCall, Trajectory
from viewer.source import Source
from viewer.tool_calls.names import canonical

REWRITTEN = "output_if_calls_were_first_rewritten_to_openai_shape"
ODD = {"osworld_string_tool_calls", "function_null", "multi_sort_mixed_name_types", "tool_calls_dict_not_list"}
"""Inputs whose recorded answer only documents the release. They and the network cases have tests of their own below:
there the release goes by words, ours by command position."""
CASES = [
    path
    for path in sorted((SHARED / "oracle").glob("*.json"))
    if path.stem.split("__")[-1] in set(ANALYZERS) - {"NetworkOperationAnalyzer"}
    and path.stem[4:].split("__")[0] not in ODD | {"no_trajectory_null"}
]
NETWORK_MISSES = {  # AgentCompass 1.0.1 shows False; a network program stands at a command position
    "pip download x", "uv add x", "apt-get -y install x", "apt-get update", "npm i x", "npm ci", "git pull",
    "git fetch", "git push", "gh pr list", "ssh h", "nc h 80", "telnet h", "docker pull x", "brew install x",
    "python -c 'import urllib.request'", "echo hi\ncurl http://a",
}  # fmt: skip
NETWORK_FALSE_ALARMS = {  # AgentCompass 1.0.1 shows True: a file name, a quoted word, a local copy, no such program
    "cat curl.txt", "echo 'how to wget'", "rsync -a a b", "CURL http://a",
}  # fmt: skip


def read(payload: Any, name: str = "result.json") -> Trajectory:
    (found,) = formats.read(Source(name, json.dumps(payload).encode()))
    return found


def spelled_as_ours(value: Any, key: str = "") -> Any:
    """An answer with MCP names as ``server_tool`` and times in one spelling."""
    if isinstance(value, dict):
        return {key: spelled_as_ours(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [spelled_as_ours(item, key) for item in value]
    if isinstance(value, str):
        if key in ("tool", "tool_names", "most_repeated_tool"):
            return "|".join(
                canonical(re.sub(r"^([\w-]+)\.([\w-]+)$", r"\1_\2", name)).name for name in value.split("|")
            )
        if key in ("started_at", "finished_at"):
            value = value.replace(" ", "T")  # and a time without zone is UTC to us
            return value if value.endswith("+00:00") else f"{value}+00:00"
    return value


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_oracle(path: Path) -> None:
    case = json.loads(path.read_text())
    analyzer = case["analyzer"]
    answer = case.get(REWRITTEN) or case["output"]
    ours = agentcompass(read(case["input"]))[analyzer]
    assert ours == spelled_as_ours(answer["details"])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_the_release_itself_shows(path: Path) -> None:
    case = json.loads(path.read_text())
    run = read(case["input"])
    theirs = as_shipped(run)
    assert theirs is not None
    shown = theirs.get(case["analyzer"], agentcompass(run)[case["analyzer"]])
    assert shown == case["output"]["details"]


def one(name: str) -> Any:
    (path,) = (SHARED / "oracle").glob(f"{name}*")
    return json.loads(path.read_text())


@pytest.mark.usefixtures("shared")
class TestOddInputs:
    def test_no_name_to_be_had(self) -> None:
        run = read(one("094")["input"])
        assert agentcompass(run)["BasicMetricAnalyzer"]["total_tool_calls"] == 0
        assert agentcompass(run)["NetworkOperationAnalyzer"] == one("098")["output"]["details"]

    def test_a_dictionary_in_place_of_the_list_is_one_call(self) -> None:
        found = agentcompass(read(one("102")["input"]))
        assert found["BasicMetricAnalyzer"]["tool_names"] == ["a"]
        assert found["NetworkOperationAnalyzer"] == one("104")["output"]["details"]

    def test_plain_strings_count(self) -> None:
        found = agentcompass(read(one("077")["input"]))
        assert found["BasicMetricAnalyzer"]["total_tool_calls"] == 3
        assert found["StepToolRepetitionAnalyzer"]["total_duplicates"] == 1

    def test_a_ratio_of_one_is_told(self) -> None:
        assert agentcompass(read(one("113")["input"]))["NetworkOperationAnalyzer"] == one("113")["output"]["details"]

    @pytest.mark.parametrize(
        ("case", "steps", "labels"),
        [("132", 2, ["curl", "web_search"]), ("144", 0, []), ("156", 1, ["curl"]), ("169", 0, [])],
    )
    def test_network_operations_the_release_does_not_see(self, case: str, steps: int, labels: list[str]) -> None:
        recorded = one(case)
        run = read(recorded["input"])
        ours = agentcompass(run)["NetworkOperationAnalyzer"]
        assert recorded["output"]["details"]["network_steps"] == 0
        assert (ours["network_steps"], ours["network_op_types"]) == (steps, labels)
        assert ours["total_tool_steps"] == recorded["output"]["details"]["total_tool_steps"]
        if steps:
            theirs = as_shipped(run)
            assert theirs is not None
            assert theirs["NetworkOperationAnalyzer"] == recorded["output"]["details"]


@pytest.mark.usefixtures("shared")
class TestNetworkTables:
    def test_every_command(self) -> None:
        case = one("108")
        run = read(case["input"])
        table = {row["command"]: row["result"] for row in one("109")["output"]}
        assert len(table) == len(run.calls)
        for call in run.calls:
            assert isinstance(call.arguments, dict)
            command = call.arguments["command"]
            theirs, label = table[command]
            ours = network_labels(call)
            if command in NETWORK_MISSES:
                assert ours and not theirs, command
            elif command in NETWORK_FALSE_ALARMS:
                assert theirs and not ours, command
            else:
                assert ours == ((label,) if theirs else ()), command
        theirs = as_shipped(run)
        assert theirs is not None
        assert theirs["NetworkOperationAnalyzer"] == case["output"]["details"]

    def test_every_tool_name(self) -> None:
        case = one("110")
        calls = [
            {"id": str(place), "type": "function", "function": {"name": name, "arguments": case["input"]["arguments"]}}
            for place, name in enumerate(case["input"]["names"])
        ]
        by_name: dict[str | None, ToolCall] = {call.raw_name: call for call in read(one_step(calls)).calls}
        missed = {
            "terminal", "shell", "exec", "execute_bash", "run_command", "command_execution", "web_search", "WebFetch",
            "visit", " bash",
        }  # fmt: skip
        for row in case["output"]:
            name, (theirs, label) = row["name"], row["result"]
            ours = network_labels(by_name[name])
            if name in missed:
                assert ours and not theirs, name
            elif name == "bash\n":  # a regular expression's $ lets the newline pass; it is no shell of anybody
                assert theirs and not ours
            else:
                assert ours == ((label,) if theirs else ()), name


def one_step(calls: list[Any]) -> Any:
    said = {"content": "", "reasoning_content": "", "tool_calls": calls}
    step = {"step_id": 1, "assistant_content": said, "observation": [], "metric": {}}
    return {"status": "completed", "metrics": {}, "trajectory": {"schema_version": "ACTF_v1.0", "steps": [step]}}


def recorded() -> list[Any]:
    path = SHARED / "recorded" / "agentcompass" / "ANALYZERS.json"
    return json.loads(path.read_text())["attempts"] if path.is_file() else []


@pytest.mark.parametrize("attempt", recorded(), ids=lambda attempt: attempt["file"].split("/", 1)[1][:70])
def test_recorded_runs(attempt: Any) -> None:
    path = SHARED / "recorded" / "agentcompass" / attempt["file"]
    (run,) = formats.read(Source.open(path))
    ours = agentcompass(run)
    theirs = as_shipped(run)
    assert theirs is not None
    for analyzer, answers in attempt["answers"].items():
        if analyzer not in ANALYZERS:
            continue
        as_it_is = answers["as_it_is"].get("details", {})
        wanted = answers["calls_rewritten_to_openai_shape"]
        details = as_it_is if wanted == "same" else wanted.get("details", {})
        if analyzer == "NetworkOperationAnalyzer":
            assert ours[analyzer]["total_tool_steps"] == details["total_tool_steps"]
            assert ours[analyzer]["network_steps"] >= details["network_steps"]
        elif analyzer == "LLMInferLatencyAnalyzer" and (negative := negative_times(path)):
            # AgentCompass averages them in; a time below zero is a clock that went back, so it is left out
            assert ours[analyzer]["total_steps"] == details["total_steps"] - negative
            continue
        else:
            assert with_tools_named(ours[analyzer], run) == spelled_as_ours(details), analyzer
        assert spelled_as_ours(theirs.get(analyzer, ours[analyzer])) == spelled_as_ours(as_it_is), analyzer


def negative_times(path: Path) -> int:
    steps = json.loads(path.read_text())["trajectory"]["steps"]
    return sum((step["metric"].get("llm_infer_ms") or 0) < 0 for step in steps)


def with_tools_named(details: Any, run: Trajectory) -> Any:
    """OpenClaw calls tools through one named ``tool_call``: the rewriting keeps that name, ours is the tool's."""
    if "tool_names" not in details:
        return details
    names = [call.raw_name if call.raw_name == "tool_call" else call.name for call in run.calls]
    return {**details, "tool_names": names}
