"""Alignment by hand: equal, prefix, inserted block, changed arguments, moved block, nothing in common, empty."""

from hypothesis import given
from hypothesis import strategies as st

from viewer.comparison.alignment import align
from viewer.comparison.keys import Keys


def run(words: str) -> list[Keys]:
    """One call a word: ``read:a`` is effect and target, ``read:a/2`` has other arguments, a ``!`` behind it failed."""
    found = []
    for index, word in enumerate(words.split()):
        effect, _, rest = word.rstrip("!").partition(":")
        target, _, variant = rest.partition("/")
        found.append(
            Keys(
                index=index,
                signature=f"{effect}:{target}/{variant}",
                effect=effect,
                target=target,
                head="",
                state="error" if word.endswith("!") else "ok",
                said="",
                result=None,
            )
        )
    return found


def pairs(left: str, right: str) -> list[tuple[int | None, int | None]]:
    return align(run(left), run(right))


def test_equal():
    assert pairs("read:a test: edit:a", "read:a test: edit:a") == [(0, 0), (1, 1), (2, 2)]


def test_prefix():
    assert pairs("read:a test:", "read:a test: edit:a") == [(0, 0), (1, 1), (None, 2)]


def test_inserted_block():
    found = pairs("read:a edit:a", "read:a web:x shell:y edit:a")
    assert found == [(0, 0), (None, 1), (None, 2), (1, 3)]


def test_changed_arguments_share_a_row():
    assert pairs("read:a edit:a/1 test:", "read:a edit:a/2 test:") == [(0, 0), (1, 1), (2, 2)]


def test_unlike_calls_never_share_a_row():
    found = pairs("read:a", "web:x")
    assert sorted(found, key=str) == [(0, None), (None, 0)]


def test_nothing_in_common_has_all_rows():
    found = pairs("read:a edit:b", "web:x shell:y plan:z")
    assert len(found) == 5


def test_empty():
    assert pairs("", "") == []
    assert pairs("read:a", "") == [(0, None)]
    assert pairs("", "read:a") == [(None, 0)]


def test_the_earliest_of_equal_pairings():
    assert pairs("test:", "test: test: test:")[0] == (0, 0)


def test_equal_outcome_beats_an_earlier_place():
    assert pairs("test:", "test:! test:") == [(None, 0), (0, 1)]


def test_equal_arguments_beat_an_earlier_place():
    assert pairs("edit:a/2", "edit:a/1 edit:a/2") == [(None, 0), (0, 1)]


WORDS = st.lists(st.sampled_from(["read:a", "read:b", "edit:a", "edit:a/2", "test:", "test:!", "web:x"]), max_size=12)


@given(WORDS, WORDS)
def test_every_call_occurs_once_and_in_order(left, right):
    found = pairs(" ".join(left), " ".join(right))
    assert [i for i, _ in found if i is not None] == list(range(len(left)))
    assert [j for _, j in found if j is not None] == list(range(len(right)))


@given(WORDS)
def test_a_run_aligns_with_itself(words):
    assert pairs(" ".join(words), " ".join(words)) == [(n, n) for n in range(len(words))]


@given(WORDS, WORDS)
def test_no_other_alignment_scores_higher(left, right):
    """Held against the plain recursion, which is slow and obvious."""
    a, b = run(" ".join(left)), run(" ".join(right))

    def like(x: Keys, y: Keys) -> int:
        base = 3 if x.signature == y.signature else 2 if (x.effect, x.target) == (y.effect, y.target) else 0
        base = base or (1 if (x.effect, x.head) == (y.effect, y.head) else 0)
        return base - (x.state != y.state) if base else -3

    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = []
            if i and j and like(a[i - 1], b[j - 1]) > -3:
                options.append(best[i - 1][j - 1] + like(a[i - 1], b[j - 1]))
            if i:
                options.append(best[i - 1][j] - 1)
            if j:
                options.append(best[i][j - 1] - 1)
            best[i][j] = max(options, default=0)
    score = sum(-1 if i is None or j is None else like(a[i], b[j]) for i, j in align(a, b))
    assert score == best[-1][-1]


def test_a_long_run_with_a_block_inserted_is_anchored():
    left = " ".join(f"read:{n}" for n in range(4_500))
    right = " ".join(["web:x"] * 40 + [f"read:{n}" for n in range(4_500)])
    found = pairs(left, right)
    assert sum(i is not None and j is not None for i, j in found) == 4_500
