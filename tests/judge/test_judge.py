"""The judge against a real server on loopback: right, wrong, half, late, refused, made up. The rules never change."""

import json
import sys

import pytest

from tests.judge.scripted import Reply, Scripted, completion, says, serving
from tests.trajectories import Say, User, trajectory
from viewer.analysis.diagnosis import diagnose
from viewer.analysis.diagnosis.attribution import attribution, read
from viewer.analysis.tool_selection import tool_selection
from viewer.judge.configuration import Configuration, InvalidConfiguration, configuration
from viewer.judge.diagnosis import diagnosis_prompt, judge_diagnosis
from viewer.judge.prompts import preview
from viewer.judge.tool_selection import BATCH, judge_tool_selection, prompts

KEY = "sk" + "-" + "aB3dE6gH9kL2nP5rS8tV1xY4"
RUN = trajectory(
    User("Please fix the parser."),
    "Read parser.py => ok def parse(text): return None",
    f"Bash API_KEY={KEY} make => exit 2 make: no rule to make target 'all'",
    "Bash rm -rf /",
    Say("I fixed it, everything works now."),
    outcome="failed",
    judged_by="verifier",
    declared_tools=["Read", "Bash"],
)
SELECTION, DIAGNOSIS = tool_selection(RUN), diagnose(RUN)
IDS = [point.id for point in SELECTION.decisions]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def settings(server: Scripted, **more) -> Configuration:
    return Configuration(base_url=server.base_url, model="scripted", **{"timeout": 5.0, "api_key": "k", **more})


def result(id: str, label: str = "correct", **more):
    return {
        "decision_id": id, "label": label, "expected_tools": [], "error_type": "n_a", "severity": "none",
        "explanation": "because", "confidence": 0.9, **more,
    }  # fmt: skip


def results(*given):
    return {"decision_results": list(given)}


def opinion(step=2, evidence="make: no rule to make target", **more):
    return {
        "step_id": step, "category": "planning_error", "summary": "It made nothing.", "evidence": evidence,
        "confidence": 0.8, **more,
    }  # fmt: skip


def select(*script, run=RUN, **more):
    with serving(Scripted(*script)) as server:
        selection = tool_selection(run)
        found = judge_tool_selection(run, selection, settings(server, **more))
    assert found.selection.rules == selection.rules
    assert found.selection.decisions == selection.decisions
    return found, server


def explain(*script, run=RUN, **more):
    with serving(Scripted(*script)) as server:
        diagnosis = diagnose(run)
        found = judge_diagnosis(run, diagnosis, settings(server, **more))
    for name in ("gate", "label", "root", "candidates", "hits", "level", "reasons", "warnings"):
        assert getattr(found.diagnosis, name) == getattr(diagnosis, name)
    return found, server


# -- settings ----------------------------------------------------------------------------------------------------------


def test_without_configuration_it_is_off():
    assert configuration({}) is None
    assert configuration({"TV_JUDGE_MODEL": "m"}) is None
    assert configuration({"TV_JUDGE_BASE_URL": "http://127.0.0.1:1/v1"}) is None


def test_settings_come_from_the_environment(tmp_path):
    given = {
        "TV_JUDGE_BASE_URL": "https://user:pw@judge.example/v1", "TV_JUDGE_MODEL": "m", "TV_JUDGE_API_KEY": KEY,
        "TV_JUDGE_TIMEOUT": "7.5", "TV_JUDGE_MAX_DECISIONS": "9", "TRAJECTORY_VIEWER_CACHE": str(tmp_path),
    }  # fmt: skip
    found = configuration(given)
    assert found is not None
    assert (found.model, found.timeout, found.max_decisions, found.host) == ("m", 7.5, 9, "judge.example")
    assert found.cache == tmp_path / "judge"
    assert KEY not in repr(found)


def test_defaults():
    given = {"TV_JUDGE_BASE_URL": "http://127.0.0.1:1/v1", "TV_JUDGE_MODEL": "m", "TRAJECTORY_VIEWER_CACHE": "off"}
    found = configuration(given)
    assert found is not None
    assert (found.timeout, found.max_decisions, found.cache, found.api_key) == (60, 60, None, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [("TV_JUDGE_TIMEOUT", "soon"), ("TV_JUDGE_TIMEOUT", "0"), ("TV_JUDGE_TIMEOUT", "nan"),
     ("TV_JUDGE_MAX_DECISIONS", "-1"), ("TV_JUDGE_BASE_URL", "judge.example/v1")],
)  # fmt: skip
def test_a_bad_setting_is_named(name, value):
    given = {"TV_JUDGE_BASE_URL": "http://127.0.0.1:1/v1", "TV_JUDGE_MODEL": "m", name: value}
    with pytest.raises(InvalidConfiguration, match=name):
        configuration(given)


# -- what leaves -------------------------------------------------------------------------------------------------------


def test_the_preview_is_exactly_what_leaves():
    found, server = select(says(results(*[result(id) for id in IDS])))
    assert found.asked == 1
    assert server.sent() == preview(prompts(RUN, SELECTION, settings(server)))
    _, server = explain(says(opinion()))
    assert server.sent() == preview([diagnosis_prompt(RUN, DIAGNOSIS)])


def test_a_request_holds_nothing_else():
    _, server = explain(says(opinion()))
    assert server.requests[0].keys() == {"model", "messages", "temperature", "response_format"}
    assert server.requests[0]["temperature"] == 0
    assert [message["role"] for message in server.requests[0]["messages"]] == ["system", "user"]
    assert server.headers[0]["authorization"] == "Bearer k"


def test_secrets_stay_here():
    _, server = explain(says(opinion()))
    assert KEY not in server.sent()
    assert "[masked: " in server.sent()
    _, server = select(says(results()))
    assert KEY not in server.sent()


def test_a_secret_at_a_cut_is_not_halved():
    run = trajectory(Say("x" * 1_190 + " " + KEY + " y"), Say("z"), outcome="failed")
    assert KEY[:8] not in diagnosis_prompt(run, diagnose(run)).text


def test_lone_surrogates_can_be_sent():
    run = trajectory(Say("half a face \ud83d here"), Say("z"), outcome="failed")
    _, server = explain(says(opinion(0, "half a face ")), run=run)
    assert "half a face ? here" in server.sent()


def test_a_long_run_is_told_without_its_middle():
    run = trajectory(*[Say(f"step number {number} " + "word " * 300) for number in range(2_000)], outcome="failed")
    text = diagnosis_prompt(run, diagnose(run)).text
    assert len(text) < 150_000
    assert "step number 0 " in text and "step number 1999 " in text and "step number 1000 " not in text
    assert "steps in the middle" in text


# -- the right answer --------------------------------------------------------------------------------------------------


def test_labels_stand_beside_the_rules():
    found, _ = select(says(results(*[result(id) for id in IDS])))
    assert found.problems == ()
    assert found.selection.judge is not None
    assert {one.label for one in found.selection.judge} == {"correct"}
    assert found.selection.aggregate is not None
    assert found.selection.aggregate.trace_score == 1.0
    assert found.selection.agreement is not None and found.selection.agreement < 1


def test_an_opinion_stands_beside_the_rules():
    found, _ = explain(says(opinion()))
    said = found.diagnosis.opinion
    assert said is not None
    assert (said.step, said.category, said.model) == (2, "planning_error", "scripted")
    assert said.where == RUN.calls[1].where  # the tiny runs keep a result in its call's place
    document = attribution(found.diagnosis, len(RUN.steps), 1.0)
    assert (document["engine"], document["judge"]["step_id"]) == ("rules+judge", 2)
    assert read(json.loads(json.dumps(document))) == document


def test_agreement_is_about_the_step():
    root = DIAGNOSIS.root
    assert root is not None
    found, _ = explain(says(opinion()))
    assert found.diagnosis.agreement is (root.hit.step == 2)
    found, _ = explain(says(opinion(1, "def parse(text)")))
    assert found.diagnosis.agreement is (root.hit.step == 1)
    found, _ = explain(says(opinion(None, "", category="unknown")))
    assert found.diagnosis.agreement is None
    assert found.diagnosis.opinion is not None and found.diagnosis.opinion.category == "unknown"


def test_decisions_go_in_batches_and_critical_ones_first():
    run = trajectory(*[f"Read f{number}" for number in range(40)], "Edit a", "Edit b", Say("ok"))
    selection = tool_selection(run)

    def all_correct(request):
        asked = json.loads(request["messages"][1]["content"])["decisions"]
        return says(results(*[result(one["decision_id"]) for one in asked]))

    found, server = select(all_correct, run=run, max_decisions=20)
    sizes = [len(json.loads(request["messages"][1]["content"])["decisions"]) for request in server.requests]
    assert sizes == [BATCH, 5]
    assert found.selection.judge is not None
    labels = {one.decision: one.label for one in found.selection.judge}
    assert [labels[point.id] for point in selection.decisions if point.weight == "critical"] == ["correct"] * 2
    assert sum(label == "correct" for label in labels.values()) == 20
    assert any("were not sent" in problem for problem in found.problems)


# -- wrong answers -----------------------------------------------------------------------------------------------------

NONSENSE: list[Reply] = [
    says("I think it went well."),
    says("[1, 2"),
    says("[]"),
    says({"decision_results": "all fine"}),
    says({"decision_results": [{"decision_id": 7}]}),
    says({"step_id": -1, "category": "bad luck"}),
    says(""),
    says("[" * 100_000),
    (200, completion({"role": "assistant", "content": None})),
    (200, completion({"role": "assistant", "content": ["odd"]})),
    (200, {"choices": []}),
    (200, {"choices": None}),
    (200, {"choices": [None]}),
    (200, {"error": "overloaded"}),
    (200, []),
    (200, "text"),
    (200, b"<html>not found</html>"),
    (200, b""),
    (200, b'{"choices": [{"mess'),
]


@pytest.mark.parametrize("line", NONSENSE)
@pytest.mark.parametrize("ask", [select, explain])
def test_nonsense_is_a_problem_and_nothing_else(line, ask):
    found, server = ask(line)
    assert len(found.problems) == 1
    assert 1 <= len(server.requests) <= 2
    if ask is select:
        assert found.selection.judge is None
    else:
        assert found.diagnosis.opinion is None


def test_one_retry():
    found, server = explain(says("Well, let me see."), says(opinion()))
    assert found.problems == ()
    assert len(server.requests) == 2
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_fenced_json_is_json():
    found, server = explain(says("Here you are:\n```json\n" + json.dumps(opinion()) + "\n```\nBye."))
    assert (found.problems, len(server.requests)) == ((), 1)


def test_an_endpoint_that_knows_less_is_asked_for_less():
    def modest(request):
        wanted = request.get("response_format", {}).get("type")
        return (400, {"error": {"message": "no such response_format"}}) if wanted else says(opinion())

    found, server = explain(modest)
    assert found.problems == ()
    formats = [request.get("response_format", {}).get("type") for request in server.requests]
    assert formats == ["json_schema", "json_object", None]


def test_half_an_answer_is_half_an_answer():
    found, _ = select(says(results(result(IDS[0], "partial"), result("d999", "incorrect"), result(IDS[0]))))
    assert found.selection.judge is not None
    assert [one.label for one in found.selection.judge] == ["partial"] + ["n_a"] * (len(IDS) - 1)
    assert any("left out" in problem for problem in found.problems)


def test_a_tool_that_is_not_on_offer_makes_the_label_void():
    wrong = {"error_type": "wrong_tool", "expected_tools": ["Teleport"]}
    found, _ = select(says(results(result(IDS[0], "incorrect", **wrong))))
    assert found.selection.judge is not None
    assert (found.selection.judge[0].label, found.selection.judge[0].error_type) == ("n_a", "n_a")
    found, _ = select(says(results(result(IDS[0], "incorrect", **{**wrong, "error_type": "hallucinated_tool"}))))
    assert found.selection.judge is not None
    assert (found.selection.judge[0].label, found.selection.judge[0].hard_fail) == ("incorrect", True)


def test_a_judge_that_is_late_is_left():
    with serving(Scripted(None)) as server:
        found = judge_diagnosis(RUN, DIAGNOSIS, settings(server, timeout=1.0))
        assert found.diagnosis == DIAGNOSIS
        assert found.problems == ("scripted did not answer within 1 s.",)
        assert len(server.requests) == 1


def test_after_a_judge_was_late_no_further_batch_is_sent():
    run = trajectory(*[f"Read f{number}" for number in range(40)], Say("ok"))
    with serving(Scripted(None)) as server:
        found = judge_tool_selection(run, tool_selection(run), settings(server, timeout=1.0))
        assert len(server.requests) == 1
        assert found.problems == ("scripted did not answer within 1 s.", "2 more batches were not sent.")


REFUSALS = [
    (says("", refusal="I cannot help with that."), "refused: I cannot"),
    ((200, completion({"role": "assistant", "content": ""}, "content_filter")), "content filter"),
    ((401, {"error": {"message": "bad key"}}), "TV_JUDGE_API_KEY"),
    ((403, {"error": {"message": "no"}}), "TV_JUDGE_API_KEY"),
    ((404, {"error": {"message": "no such model"}}), "404"),
    ((429, {"error": {"message": "slow down"}}), "429"),
    ((500, b"oops"), "500"),
    ((400, {"error": {"message": "too long"}}), "400"),
]


@pytest.mark.parametrize(("line", "words"), REFUSALS)
@pytest.mark.parametrize("ask", [select, explain])
def test_a_refusal_is_said(line, words, ask):
    found, _ = ask(line)
    assert words in found.problems[0]


def test_nobody_there():
    with serving(Scripted(says(opinion()))) as server:
        gone = settings(server)
    found = judge_diagnosis(RUN, DIAGNOSIS, gone)
    assert found.diagnosis == DIAGNOSIS
    assert "could not be reached" in found.problems[0]


def test_without_the_package_the_way_to_get_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    found, server = explain(says(opinion()))
    assert server.requests == []
    assert "trajectory-viewer[judge]" in found.problems[0]


MADE_UP = [
    opinion(evidence="make: everything is fine here"),
    opinion(1),  # words of another step
    opinion(evidence=""),
    opinion(evidence="no"),  # stands there, and anywhere
    opinion(evidence=" " * 40),
    opinion(99),
    opinion(2, "[masked: API key]"),
    opinion(2, "MAKE: NO RULE TO MAKE TARGET"),
]


@pytest.mark.parametrize("said", MADE_UP)
def test_evidence_that_is_made_up_is_refused(said):
    found, _ = explain(says(said))
    assert found.diagnosis.opinion is None
    assert "refused" in found.problems[0]


def test_evidence_is_cut_never_reworded():
    run = trajectory(Say("a long sentence that goes on " * 20), Say("z"), outcome="failed")
    found, _ = explain(says(opinion(0, "a long sentence that goes on " * 10)), run=run)
    assert found.diagnosis.opinion is not None
    assert len(found.diagnosis.opinion.evidence) == 200


def test_a_run_that_passed_is_not_sent():
    run = trajectory("Read a", Say("Done."), outcome="passed")
    found, server = explain(says(opinion()), run=run)
    assert server.requests == []
    assert len(found.problems) == 1


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_an_answer_is_kept_on_disk(tmp_path):
    first, server = explain(says(opinion()), cache=tmp_path / "judge")
    assert (len(server.requests), first.cached) == (1, 0)
    again, server = explain(says("nonsense"), cache=tmp_path / "judge")
    assert (len(server.requests), again.cached) == (0, 1)
    assert again.diagnosis == first.diagnosis
    (kept,) = (tmp_path / "judge").iterdir()
    assert len(kept.stem) == 64 and kept.suffix == ".json"


def test_only_answers_that_fit_are_kept(tmp_path):
    explain(says("nonsense"), cache=tmp_path / "judge")
    assert not (tmp_path / "judge").exists()


def test_another_model_is_asked_anew(tmp_path):
    explain(says(opinion()), cache=tmp_path)
    with serving(Scripted(says(opinion()))) as server:
        other = Configuration(base_url=server.base_url, model="other", timeout=5, cache=tmp_path)
        judge_diagnosis(RUN, DIAGNOSIS, other)
        assert len(server.requests) == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"step_id": "x"}', b"\xff"])
def test_a_damaged_cache_is_no_cache(tmp_path, damage):
    explain(says(opinion()), cache=tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(damage)
    found, server = explain(says(opinion()), cache=tmp_path)
    assert (found.problems, len(server.requests)) == ((), 1)


def test_a_cache_that_cannot_be_written_is_none(tmp_path):
    (tmp_path / "file").write_text("x")
    found, _ = explain(says(opinion()), cache=tmp_path / "file" / "judge")
    assert found.problems == ()
