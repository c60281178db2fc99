"""Equal results: what changes between two runs of a command is masked, and quick rejection rejects nothing equal."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.graphs.made_runs import bash, run
from viewer.analysis.results import _KEPT, brought, masked, result_signature

CHANGING = st.sampled_from(
    [
        "2026-01-02 10:11", "2026-01-02T10:11:12.5Z", "1:02:03", "11:02:03,5", "12 s", "3.5ms", "10 seconds", "12min",
        "3µs", "0x1f", "deadbeef1", "1234abcd-12ef-aaaa", "pid 17", "Process: 4", "0", "7",
    ]
)  # fmt: skip
TEXT = st.lists(CHANGING | st.sampled_from(list("abcdefghlw/( .:-#x\n~")), max_size=12).map("".join)


def test_times_hex_durations_and_processes_are_masked() -> None:
    assert masked("Ran 4 tests in 0.003s at 2026-01-02 10:11:12") == "Ran 4 tests in ~ at ~"
    assert masked("commit deadbeef12 took 5 min, pid 17") == "commit ~ took ~, ~"
    assert masked("<object at 0x7f01>") == "<object at ~>"


def test_versions_paths_and_numbers_stay() -> None:
    for text in ("python3.11s", "v1.2.3", "a12s", "exit 1", "x1:02:03", "facade", "file_12s.py"):
        assert masked(text) == text


@given(TEXT)
def test_masking_keeps_the_characters_that_reject(text: str) -> None:
    assert [masked(text).count(sign) for sign in _KEPT] == [text.count(sign) for sign in _KEPT]


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), TEXT), max_size=8))
def test_pairs_are_equal_exactly_where_calls_and_masked_results_are(made: list[tuple[str, str]]) -> None:
    found = run(*(bash(command) for command, _ in made))
    calls = tuple(
        replace(call, result=replace(call.result, text=text) if call.result else None)
        for call, (_, text) in zip(found.calls, made, strict=True)
    )
    trajectory = replace(found, calls=calls)
    pairs = brought(trajectory)
    for one in trajectory.calls:
        for other in trajectory.calls:
            equal = one.signature == other.signature and result_signature(one) == result_signature(other)
            assert (pairs[one.index] == pairs[other.index]) is equal or one is other
