"""Speed of alignment, exact and anchored. Run: uv run python tests/benchmarks/alignment.py"""

import json
import random
import time

from viewer.comparison.alignment import align
from viewer.comparison.keys import Keys

ALIKE, UNLIKE = "a fifth of the calls left out", "another run of the same habits"


def generated(size: int, seed: int) -> list[Keys]:
    """Calls of a few hundred targets with repeats, as agents make them."""
    chance = random.Random(seed)
    found = []
    for index in range(size):
        habit = chance.randrange(max(10, size // 2))
        found.append(
            Keys(
                index=index,
                signature=str(habit),
                effect=("read", "edit", "test", "search", "shell")[habit % 5],
                target=str(habit % 300),
                head=str(habit % 20),
                state="error" if chance.random() < 0.2 else "ok",
                said="",
                result=None,
            )
        )
    return found


def main() -> None:
    results = []
    print(f"{'calls':>7} {'right run':32} {'rows':>7} {'seconds':>8}")
    for size in (100, 400, 1_600, 10_000):
        left = generated(size, 1)
        chance = random.Random(2)
        for name, right in ((ALIKE, [k for k in left if chance.random() > 0.2]), (UNLIKE, generated(size, 3))):
            started = time.perf_counter()
            rows = len(align(left, right))
            seconds = time.perf_counter() - started
            print(f"{size:>7,} {name:32} {rows:>7,} {seconds:>8.3f}")
            results.append({"calls": size, "right": name, "rows": rows, "seconds": round(seconds, 4)})
    print(json.dumps({"benchmark": "alignment", "results": results}))


if __name__ == "__main__":
    main()
