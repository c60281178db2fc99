"""The action log: one line a call, cuts, and what is left out."""

from typing import Any

import pytest

from tests.trajectories import Say, trajectory
from viewer.analysis.action_log import Cuts, UnusableSetting, action_log, action_text, cut, matching
from viewer.analysis.search import UnusablePattern


def test_one_line_a_call() -> None:
    run = trajectory(Say("Hm."), "bash ls => ok a\nb", ("Read a.py => error no such file", "bash true => empty"),
                     "bash x => nothing", "bash y => denied by me")  # fmt: skip
    assert action_log(run).text.split("\n") == [
        '2. bash({"command": "ls"}) -> a⏎b',
        '3. Read({"file_path": "a.py"}) -> {"error": "no such file"}',
        '3. bash({"command": "true"}) -> [empty]',
        '4. bash({"command": "x"}) -> [unanswered]',
        '5. bash({"command": "y"}) -> [denied] by me',
    ]


def test_json_in_text_is_unpacked_before_it_is_cut() -> None:
    (line,) = action_log(trajectory('bash ls => ok "{\\"a\\": \\"{\\\\\\"b\\\\\\": 1}\\"}"')).lines
    assert line.text.endswith('-> {"a": {"b": 1}}')


def test_cuts() -> None:
    (line,) = action_log(
        trajectory(f"bash {'x' * 200} => ok {'y' * 200}"), Cuts(max_args_chars=20, max_result_chars=5)
    ).lines
    assert line.text == f'1. bash({{"command": "{"x" * 7}…(+195)) -> yyyyy…(+195)'
    assert line.full.endswith("y" * 200)
    (whole,) = action_log(trajectory(f"bash {'x' * 200}"), Cuts(max_args_chars=None)).lines
    assert "…" not in whole.text


def test_a_surrogate_pair_is_not_torn() -> None:
    assert cut("ab\ud83d\ude00cd", 3) == "ab…(+4)"
    assert cut("ab\ud83d\ude00cd", 4) == "ab\ud83d\ude00…(+2)"
    assert cut("ab😀cd", 3) == "ab😀…(+2)"
    assert cut("abc", 3) == "abc"


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "110", float("nan")])
@pytest.mark.parametrize("name", ["max_args_chars", "max_result_chars", "max_lines"])
def test_other_settings_are_refused(name: str, value: Any) -> None:
    with pytest.raises(UnusableSetting, match=name):
        Cuts(**{name: value})
    with pytest.raises(UnusableSetting):
        Cuts.from_mapping({name: value})


def test_settings_go_there_and_back() -> None:
    cuts = Cuts(max_args_chars=None, max_lines=7)
    assert cuts.as_mapping() == {"max_args_chars": None, "max_result_chars": 160, "max_lines": 7}
    assert Cuts.from_mapping(cuts.as_mapping()) == cuts
    assert Cuts.from_mapping({}) == Cuts(max_args_chars=110, max_result_chars=160, max_lines=None)
    with pytest.raises(UnusableSetting, match="max_chars"):
        Cuts.from_mapping({"max_chars": 1})


def test_halves_and_errors_stay() -> None:
    calls = [f"Read {number}" + (" => error" if number in (4, 9) else "") for number in range(10)]
    log = action_log(trajectory(*calls), Cuts(max_lines=3))
    assert [line.call for line in log.lines] == [0, 1, None, 4, 9]
    assert log.left_out == 6
    assert log.lines[2].text == "… 6 of 10 calls left out; the 1 with an error among them are kept"
    assert action_log(trajectory(*calls), Cuts(max_lines=10)).left_out == 0


def test_one_line_is_the_first() -> None:
    assert [line.call for line in action_log(trajectory("Read a", "Read b"), Cuts(max_lines=1)).lines] == [0, None]


def test_search_runs_over_the_full_text() -> None:
    log = action_log(trajectory("Read a", f"bash {'x' * 300}needle"), Cuts(max_args_chars=5))
    assert matching(log, r"NEEDLE$|needle\"") == (1,)
    with pytest.raises(UnusablePattern):
        matching(log, "(")


class TestActionText:
    def text(self, step: Any) -> str:
        run = trajectory(step)
        return action_text(run, run.steps[0])

    def test_calls(self) -> None:
        assert self.text(("bash ls", "Read a.py")) == 'bash: {"command": "ls"}\nRead: {"file_path": "a.py"}'

    def test_last_fenced_block(self) -> None:
        assert self.text(Say("First\n```bash\nls\n```\nthen\n```\npwd\n```\n")) == "pwd"

    def test_none(self) -> None:
        assert self.text(Say("Just words.")) == ""
