"""The command line, for people and machines without a browser.

``python -m viewer check FILE...`` which format, how many calls, what was not understood
``python -m viewer report FILE`` metrics and repetition of a run
``python -m viewer compare FILE FILE...`` two runs or more, call by call
``python -m viewer batch ROOT...`` outcomes, failure categories and what many runs share

Each takes ``--json``. ``FILE#ordinal`` names one run of a file that holds several (0 is the first). Exit status: 0, 1
when a file could not be read as a run, 2 for a wrong command line. Errors go to standard error, one line each.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from viewer.collector import seldom_collect_all
from viewer.command_line import batch
from viewer.command_line.check import check
from viewer.command_line.compare import compare
from viewer.command_line.printing import complain
from viewer.command_line.report import report
from viewer.comparison.star import MOST
from viewer.errors import ViewerError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status. An edge: what the rooms below raise on purpose ends here as a line."""
    seldom_collect_all()
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.run is compare and not 2 <= len(given.file) <= MOST:
        parser.error(f"compare takes two to {MOST} files")
    try:
        status = int(given.run(given))
        sys.stdout.flush()
        return status
    except ViewerError as error:
        complain(error)
        return 1
    except BrokenPipeError:  # whoever read our output has seen enough; Python must not flush into the closed pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m viewer", description="Reads traces of agent runs, any harness.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, files, text in (
        ("check", check, "+", "which format, how many calls, what was not understood"),
        ("report", report, 1, "metrics and repetition of the runs of a file or folder"),
        ("compare", compare, "+", "two runs or more, call by call"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        command.add_argument("file", nargs=files, metavar="FILE", help="a file, a folder, or FILE#ordinal")
        command.add_argument("--json", action="store_true", help="JSON on standard output")
        command.set_defaults(run=run)
    text = "outcomes, failure categories and what many runs share"
    batch.arguments(commands.add_parser("batch", help=text, description=f"{text[0].upper()}{text[1:]}."))
    return parser


if __name__ == "__main__":
    sys.exit(main())
