"""What a call does, whatever its name (decisions.md 2): one function for lanes, targets, phases, network, Compare."""

from __future__ import annotations

import os.path
import re
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple, TypeAlias

from viewer.model import Kind, ToolCall, Trajectory
from viewer.tool_calls import arguments
from viewer.tool_calls.shell import Simple, head_of, simple_commands

EffectKind: TypeAlias = Kind | Literal["test"]


class Effect(NamedTuple):
    """What a call does and to what: ("test", ""), ("read", "stats.py"), ("web", "https://...")."""

    effect: EffectKind
    target: str


_READ: Final = frozenset("cat head tail nl less more bat".split())
_SEARCH: Final = frozenset("ls find grep egrep fgrep rg ag ack tree fd which".split())
_EDIT: Final = frozenset("tee apply_patch patch".split())
_FILTERS: Final = frozenset(
    "head tail grep egrep fgrep rg sed awk wc sort uniq cut tr less more cat jq column nl xxd tee".split()
)
_WORDS: Final = frozenset(
    "done fi esac for case echo printf true false exit pwd cd set export source . : sleep wait clear".split()
)
_NETWORK: Final = frozenset(
    "curl wget http https aria2c ftp sftp scp ssh nc ncat telnet ping dig nslookup host gh lynx w3m".split()
)
_NETWORK_SUBCOMMANDS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("pip", "pip3"), frozenset({"install", "download", "add"})),
    "uv": frozenset({"install", "add", "download", "sync", "pip"}),
    "poetry": frozenset({"install", "add", "update"}),
    "pipx": frozenset({"install", "add", "download"}),
    **dict.fromkeys(
        ("apt", "apt-get", "apk", "yum", "dnf", "brew", "conda"),
        frozenset({"install", "update", "add", "upgrade", "download"}),
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), frozenset({"install", "i", "ci", "add"})),
    "gem": frozenset({"install"}),
    "cargo": frozenset({"install", "add", "fetch"}),
    "go": frozenset({"install", "get"}),
    "git": frozenset({"clone", "fetch", "pull", "push", "ls-remote"}),
    "svn": frozenset({"checkout", "co", "update"}),
    "docker": frozenset({"pull", "push"}),
}  # fmt: skip
_TEST_PROGRAMS: Final = frozenset(
    "pytest py.test tox nox jest vitest ctest bats mypy ruff flake8 eslint rspec phpunit".split()
)
_TEST_SUBCOMMANDS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("go", "cargo", "bazel", "mvn", "gradle", "gradlew", "dotnet", "mix"), frozenset({"test"})),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), frozenset({"test", "t"})),
    "make": frozenset({"test", "check"}),
}
_RUNNERS: Final = frozenset("uv npx poetry uvx bunx pnpm".split())
_TEST_MODULES: Final = frozenset("pytest unittest tox nox mypy ruff flake8 doctest".split())
_FETCHING: Final = re.compile(
    r"^\s*(?:import|from)\s+(?:requests|urllib|httpx|aiohttp)\b|__import__\(['\"](?:requests|urllib|httpx)",
    re.MULTILINE,
)
_WRITING: Final = re.compile(r"open\([^)\n]*['\"][wax]b?\+?['\"]|\.write_text\(|\.write_bytes\(|writeFileSync\(")
_QUOTED: Final = re.compile(r"['\"]([^'\"\n\s]{1,200})['\"]")
_PATH: Final = re.compile(r"^(?!https?:)(?!-)[^\s=<>|;'\"*?(){}$]*(?:/[^\s'\"<>|;(){}]*|\.[A-Za-z][A-Za-z0-9]{0,7})$")
_URL: Final = re.compile(r"\b(?:https?|ftp|git)://[^\s'\"<>|;)]+")
_REMOTE: Final = re.compile(r"^(?:[\w.-]+@)?[\w.-]+:(?!\\)\S*$")


def effect(call: ToolCall, directory: str | None = None) -> Effect:
    """(effect, target) of a call. ``directory`` is the run's: paths below it are given relative to it."""
    if call.kind == "shell":
        text = arguments.command(call)
        if text is not None:
            return _shell(text, directory)
        return Effect("shell", call.signature)
    if call.kind in ("read", "edit", "write"):
        named = arguments.paths(call)
        return Effect(call.kind, relative(named[0], directory) if named else call.signature)
    if call.kind == "search":
        return Effect("search", arguments.query(call) or next(iter(arguments.paths(call)), call.signature))
    if call.kind == "web":
        return Effect("web", arguments.url(call) or arguments.query(call) or call.signature)
    if call.kind == "agent":
        return Effect("agent", (arguments.delegation(call) or call.signature)[:80])
    return Effect(call.kind, call.signature)


def head(command: str) -> str:
    """Program and subcommand of the simple command that gives a command its effect; "" for an empty one."""
    deciding = _deciding(command)
    return head_of(deciding) if deciding else ""


def is_test(call: ToolCall, directory: str | None = None) -> bool:
    """The call runs tests, a linter or a type checker: command-shaped only, words in prose don't count."""
    return effect(call, directory).effect == "test"


def network_commands(command: str) -> tuple[str, ...]:
    """The heads of the simple commands that reach the network, in order (analysis.md 1, "Network operations")."""
    return tuple(head_of(simple) for simple in simple_commands(command) if reaches_network(simple))


def reaches_network(simple: Simple) -> bool:
    """A network program at a command position; names inside strings, file names and ``echo`` don't count."""
    words, program = simple.words, simple.program
    if program in _NETWORK:
        return (len(words) > 1 or simple.pipe) and words[1:2] not in (("--version",), ("--help",), ("-V",))
    name = head_of(simple).split(" ")
    if re.match(r"^(python|pypy)[\d.]*$", program):
        if len(name) > 3 and name[1] == "-m":
            return name[3] in _NETWORK_SUBCOMMANDS.get(name[2], ())
        return bool(_FETCHING.search(_script(simple).replace(";", "\n")))
    subcommand = name[1] if len(name) > 1 else ""
    rest = [word for word in words[1:] if not word.startswith("-")]
    if program == "uv" and subcommand == "pip":
        return rest[1:2] in (["install"], ["download"], ["sync"])
    if program == "git" and subcommand == "submodule":
        return "update" in rest or "add" in rest
    if program == "rsync":
        return any(_REMOTE.match(word) for word in rest)
    if program == "docker" and subcommand == "run":
        return bool(rest[1:])
    if program in ("cargo", "go") and subcommand in ("build", "run"):
        return any(_URL.search(word) or word.startswith(("github.com/", "golang.org/")) for word in rest[1:])
    if program == "yarn" and len(words) == 1:
        return True
    return subcommand in _NETWORK_SUBCOMMANDS.get(program, ())


def effects(trajectory: Trajectory) -> tuple[Effect, ...]:
    """(effect, target) of every call of ``trajectory.calls``, in order; remembered for the last few runs."""
    for calls, known in tuple(_recent):  # a copy: another visitor's thread may add to it
        if calls is trajectory.calls:
            return known
    directory = trajectory.directory or shared_directory(trajectory.calls)
    found = tuple(effect(call, directory) for call in trajectory.calls)
    _recent.appendleft((trajectory.calls, found))
    return found


_recent: deque[tuple[tuple[ToolCall, ...], tuple[Effect, ...]]] = deque(maxlen=16)


def shared_directory(calls: Sequence[ToolCall]) -> str | None:
    """The directory that all absolute paths of a run share: a guess for targets where the file records none."""
    absolute = [
        path for call in calls if call.kind in ("read", "edit", "write") for path in arguments.paths(call)[:1]
        if path.startswith("/")
    ]  # fmt: skip
    if not absolute:
        return None
    common = os.path.commonpath([str(PurePosixPath(path).parent) for path in absolute])
    return common if len(common) > 1 else None


def relative(path: str, directory: str | None) -> str:
    """``path`` as seen from ``directory``; unchanged when it is not below it."""
    if directory:
        folder = directory.rstrip("/")
        if path == folder:
            return "."
        if path.startswith(folder + "/"):
            path = path[len(folder) + 1 :]
    return path.removeprefix("./") or path


@lru_cache(maxsize=20_000)
def _shell(text: str, directory: str | None) -> Effect:
    simple = _deciding(text)
    if simple is None:
        return Effect("shell", text.strip()[:80])
    program, words = simple.program, simple.words
    kind: EffectKind = "shell"
    if _is_test(simple):
        kind = "test"
    elif (
        simple.writes
        or program in _EDIT
        or (program == "sed" and _in_place(words))
        or (program == "perl" and _in_place(words))
    ) or _WRITING.search(_script(simple)):
        kind = "edit"
    elif program in _READ or (program == "sed" and "-n" in words):
        kind = "read"
    elif program in _SEARCH:
        kind = "search"
    elif reaches_network(simple):
        kind = "web"
    return Effect(kind, _target(simple, kind, directory))


def _deciding(text: str) -> Simple | None:
    """The simple command that says what the text does: of the last pipeline that is more than words and navigation,
    the first command; a filter behind a pipe (``| tail -5``) decides nothing, unless it writes."""
    commands = simple_commands(text)
    if not commands:
        return None
    for simple in reversed(commands):
        if _is_test(simple):  # a test piped into tail, or followed by echo, stays a test
            later = [other for other in commands if other.pipeline > simple.pipeline and other.program not in _WORDS]
            if not later:
                return simple
            break
    acting = [simple for simple in commands if simple.program not in _WORDS or simple.writes]
    last = (acting or list(commands))[-1].pipeline
    pipeline = [simple for simple in (acting or list(commands)) if simple.pipeline == last]
    for simple in pipeline:
        if simple.writes or simple.program == "tee":
            return simple
    meaningful = [simple for simple in pipeline if not (simple.pipe and simple.program in _FILTERS)]
    return meaningful[-1] if meaningful else pipeline[0]


def _is_test(simple: Simple) -> bool:
    name = head_of(simple).split(" ")
    program = name[0]
    if len(name) > 2 and name[1] == "-m":
        return name[2] in _TEST_MODULES
    if program in _TEST_PROGRAMS:
        return len(name) < 2 or name[1] in ("check", "") or program != "ruff"
    if (
        program in ("uv", "npx", "poetry", "uvx", "bunx", "pnpm")
        and len(simple.words) > 2
        and simple.words[1] in ("run", "exec")
    ):
        return _is_test(Simple(simple.words[2:]))
    if program in ("npx", "uvx", "bunx") and len(simple.words) > 1:
        return _is_test(Simple(simple.words[1:]))
    if program == "tsc":
        return "--noEmit" in simple.words
    if len(name) > 2 and name[1] == "run":
        return name[2] == "test" or name[2].startswith("test:")
    if re.match(r"^(python|pypy)[\d.]*$", program):
        script = next((word for word in simple.words[1:] if not word.startswith("-")), "")
        base = script.rsplit("/", 1)[-1]
        return base.endswith(".py") and (
            base.startswith("test_") or (base in ("runtests.py", "tests.py", "manage.py") and "test" in simple.words)
        )
    return len(name) > 1 and name[1] in _TEST_SUBCOMMANDS.get(program, ())


def _script(simple: Simple) -> str:
    """The program text that an interpreter is handed, by here-document or by ``-c``/``-e``."""
    if simple.program in ("cat", "tee", "apply_patch", "patch"):
        return ""
    if simple.script is not None:
        return simple.script
    for flag in ("-c", "-e"):
        if flag in simple.words[:-1]:
            return simple.words[simple.words.index(flag) + 1]
    return ""


def _in_place(words: tuple[str, ...]) -> bool:
    return any(
        word == "--in-place" or (word.startswith("-") and not word.startswith("--") and "i" in word[1:4])
        for word in words[1:3]
    )


def _target(simple: Simple, kind: EffectKind, directory: str | None) -> str:
    if simple.writes:
        return relative(simple.writes[0], directory)
    rest = simple.words[1:]
    if kind == "web":
        for word in rest:
            if found := _URL.search(word):
                return found.group()
    if simple.program == "sed":  # the script may look like a path
        rest = tuple(word for word in rest if not re.match(r"^[sy]?[/|#@,]|^\d+,?\d*p?$", word)) or rest
    if kind == "edit" and (script := _script(simple)):
        for match in _QUOTED.finditer(script):
            if _PATH.match(match[1]):
                return relative(match[1], directory)
    for word in rest:
        if _PATH.match(word):
            return relative(word, directory)
    if simple.script is not None and (found := re.search(r"\*\*\* (?:Update|Add|Delete) File: (\S+)", simple.script)):
        return relative(found[1], directory)
    behind = len(head_of(simple).split(" "))
    plain = [word for word in simple.words[behind:] if not word.startswith("-")]
    return " ".join(plain)[:200]
