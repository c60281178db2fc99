"""One process of the pool: takes entries on its standard input, answers with facts on its standard output.

``python -m viewer.batch.worker``, started by ``viewer.batch.reading`` and nobody else; both ends speak pickle. Its own
process and not ``multiprocessing``: inside Streamlit, ``__main__`` is the page, and a spawned child would run it.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import BinaryIO

from viewer.batch.run_facts import facts


def main() -> None:
    """Ends when its standard input does, so it never outlives the process that started it."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints may get between two answers
    serve(sys.stdin.buffer, answers)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """One answer an entry, in order."""
    while True:
        try:
            entry = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(facts(entry), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    main()
