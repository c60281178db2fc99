"""Reading shell commands well enough to say what they do: wrappers off, simple commands out.

No shell is emulated. Quotes, pipes, lists, ``$( )`` and here-documents are understood; what is not stays a word.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_SHELLS: Final = frozenset("bash sh zsh dash ksh fish pwsh powershell cmd powershell.exe cmd.exe".split())
_FLAGS: Final = frozenset({"-c", "-lc", "-ic", "-lic", "-ec", "/c", "-Command"})
_PREFIX: Final = frozenset(
    "sudo env time nohup exec command nice stdbuf timeout xargs doas builtin then do else if while ! { (".split()
)
_VALUE_FLAGS: Final = {
    "sudo": ("-u", "-g"),
    "nice": ("-n",),
    "xargs": ("-n", "-I", "-P", "-d", "-L"),
    "timeout": ("-s", "-k"),
}
_DIRECTORY_FLAGS: Final = ("-C", "-c", "--prefix", "--manifest-path", "--directory", "--host", "-H")
_ASSIGNMENT: Final = re.compile(r"^[A-Za-z_]\w*=")
_SUBCOMMANDS: Final = frozenset(
    "git pip pip3 npm pnpm yarn bun uv poetry pipx cargo go docker podman kubectl gh ruff apt apt-get yum dnf brew "
    "apk conda gem make svn npx uvx rustup dotnet mvn gradle".split()
)
_PYTHON: Final = re.compile(r"^(python|pypy)[\d.]*$")
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_QUOTED: Final = "\x00"
_REDIRECT: Final = re.compile(r"^(\d*|&)(>>?\|?)(.*)$")


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command: its words without prefixes (sudo, env, assignments) and without redirections.

    ``writes`` are the files its output is redirected into; ``script`` the text of a here-document; ``pipe`` is
    True when it reads a pipe; ``pipeline`` counts the pipelines of the whole text, from 0.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    script: str | None = None
    pipe: bool = False
    pipeline: int = 0

    @property
    def program(self) -> str:
        """The program's base name, "" when there is none."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""


def unwrapped(text: str) -> str:
    """``/bin/bash -lc 'ls'`` is ``ls``; a text of any other form comes back as it is (calls.md 5.4)."""
    head = text.lstrip()[:40].partition(" ")[0]
    if head.replace("\\", "/").rsplit("/", 1)[-1] not in _SHELLS:
        return text
    try:
        words = shlex.split(text)
    except ValueError:
        return text
    script = _script(words)
    return text if script is None else script


def unwrapped_list(words: Sequence[str]) -> str:
    """A command given as a list: the script of a wrapper, else its words joined with POSIX quoting."""
    script = _script(words)
    return shlex.join(words) if script is None else script


def _script(words: Sequence[str]) -> str | None:
    if len(words) < 3 or words[0].replace("\\", "/").rsplit("/", 1)[-1] not in _SHELLS:
        return None
    flags, script = words[1:-1], words[-1]
    if (len(flags) == 1 and flags[0] in _FLAGS) or list(flags) == ["-NoProfile", "-Command"]:
        return script
    return None


@lru_cache(maxsize=20_000)
def simple_commands(text: str) -> tuple[Simple, ...]:
    """The simple commands of a text in order, those inside ``$( )``, backticks and nested wrappers included."""
    found: list[Simple] = []
    _collect(text, found, 0, [0])
    return tuple(found)


def _collect(text: str, found: list[Simple], depth: int, counter: list[int]) -> None:
    if depth > 4:
        return
    text, scripts = _without_heredocs(text)
    for words, pipe, inner in _split(text):
        if not pipe:
            counter[0] += 1
        for nested in inner:
            _collect(nested, found, depth + 1, counter)
        plain, writes = _without_redirects(words)
        plain = _without_prefixes(plain)
        script = scripts.pop(0) if scripts and any(word.startswith("<<") for word in words) else None
        nested_script = _script(plain)
        if nested_script is not None:
            _collect(nested_script, found, depth + 1, counter)
        elif plain or writes:
            found.append(Simple(tuple(plain), tuple(writes), script, pipe, counter[0]))


def _without_heredocs(text: str) -> tuple[str, list[str]]:
    if "<<" not in text:
        return text, []
    lines, out, scripts = text.split("\n"), [], []
    at = 0
    while at < len(lines):
        line = lines[at]
        out.append(line)
        at += 1
        for match in _HEREDOC.finditer(line):
            body = []
            while at < len(lines) and lines[at].strip() != match[2]:
                body.append(lines[at])
                at += 1
            at += 1
            scripts.append("\n".join(body))
    return "\n".join(out), scripts


def _split(text: str) -> list[tuple[list[str], bool, list[str]]]:
    """(words, reads a pipe, texts of command substitutions) of each simple command."""
    commands: list[tuple[list[str], bool, list[str]]] = []
    words: list[str] = []
    inner: list[str] = []
    word = ""
    has_word = False
    pipe = False
    at, size = 0, len(text)

    def close_word() -> None:
        nonlocal word, has_word
        if has_word:
            words.append(word)
        word, has_word = "", False

    def close_command(next_pipe: bool) -> None:
        nonlocal words, inner, pipe
        close_word()
        if words:
            commands.append((words, pipe, inner))
        words, inner, pipe = [], [], next_pipe

    while at < size:
        char = text[at]
        if char == "\\" and at + 1 < size:
            if text[at + 1] != "\n":
                word += text[at + 1]
                has_word = True
            at += 2
        elif char == "'":
            end = text.find("'", at + 1)
            end = size if end < 0 else end
            word += _quoted(word, text[at + 1 : end])
            has_word = True
            at = end + 1
        elif char == '"':
            end = at + 1
            word += _quoted(word, text[end : end + 1])[:-1]
            while end < size and text[end] != '"':
                if text[end] == "\\" and end + 1 < size:
                    word += text[end + 1]
                    end += 2
                elif text.startswith("$(", end):
                    close = _closing(text, end + 2)
                    inner.append(text[end + 2 : close])
                    end = close + 1
                else:
                    word += text[end]
                    end += 1
            has_word = True
            at = end + 1
        elif text.startswith(("$(", "<(", ">("), at) and not text.startswith("$((", at):
            close = _closing(text, at + 2)
            inner.append(text[at + 2 : close])
            has_word = True
            at = close + 1
        elif char == "`":
            end = text.find("`", at + 1)
            end = size if end < 0 else end
            inner.append(text[at + 1 : end])
            has_word = True
            at = end + 1
        elif char == "#" and not has_word:
            end = text.find("\n", at)
            at = size if end < 0 else end
        elif char in " \t\r":
            close_word()
            at += 1
        elif char in "\n;()":
            close_command(False)
            at += 1
        elif char == "&":
            if text.startswith("&&", at):
                close_command(False)
                at += 2
            elif text.startswith("&>", at) or word.endswith(">"):
                word += char
                has_word = True
                at += 1
            else:
                close_command(False)
                at += 1
        elif char == "|":
            if word.endswith(">"):
                word += char
                at += 1
            elif text.startswith("||", at):
                close_command(False)
                at += 2
            else:
                close_command(True)
                at += 2 if text.startswith("|&", at) else 1
        elif char in "<>" and has_word and not (word.isdigit() or word in ("&",) or word[-1:] in "<>"):
            close_word()
        else:
            word += char
            has_word = True
            at += 1
    close_command(False)
    return commands


def _quoted(word: str, text: str) -> str:
    """Marks a word that begins with a quoted ``<`` or ``>``, so that it is not taken for a redirection."""
    return _QUOTED + text if (not word and text[:1] in ("<", ">", "&")) or (not word and text[:1].isdigit()) else text


def _closing(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        if text[at] == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(text)


def _without_redirects(words: list[str]) -> tuple[list[str], list[str]]:
    plain: list[str] = []
    writes: list[str] = []
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
            continue
        match = _REDIRECT.match(word)
        if match:
            target = match[3]
            if not target and at + 1 < len(words):
                target, skip = words[at + 1], True
            if target and not target.startswith(("&", "/dev/")):
                writes.append(target)
        elif word.startswith("<") or (word[:1].isdigit() and word[1:2] == "<"):
            skip = word in ("<", "<<<", "<<", "<<-", "0<")
        else:
            plain.append(word.removeprefix(_QUOTED))
    return plain, writes


def _without_prefixes(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(words[at]):
            at += 1
        elif word in _PREFIX:
            at += 1
            while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
                at += 2 if words[at] in _VALUE_FLAGS.get(word, ()) else 1
            if word == "timeout" and at < len(words) and re.match(r"^[\d.]+[smhd]?$", words[at]):
                at += 1
        else:
            break
    return words[at:]


def head_of(simple: Simple) -> str:
    """Program and subcommand: ``git diff``, ``pip install``, ``python3 -m unittest``, ``npm run build``, ``cat``."""
    words = simple.words
    if not words:
        return ">" if simple.writes else ""
    program = simple.program
    if _PYTHON.match(program):
        for at, word in enumerate(words[1:], 1):
            if word == "-m" and at + 1 < len(words):
                module = words[at + 1]
                if module in ("pip", "uv"):
                    inner = head_of(Simple((module, *words[at + 2 :])))
                    return f"{program} -m {inner}"
                return f"{program} -m {module}"
            if not word.startswith("-") or word in ("-c", "-"):
                break
        return program
    if program in _SUBCOMMANDS:
        rest = _plain(words[1:], program)
        if rest and program in ("npm", "pnpm", "yarn", "bun", "uv", "poetry") and rest[0] == "run" and len(rest) > 1:
            return f"{program} run {rest[1]}"
        if rest:
            return f"{program} {rest[0]}"
    return program


def _plain(words: Sequence[str], program: str) -> list[str]:
    """Words that are no flags; the values of git's and docker's leading ``-C dir`` and the like are skipped."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _DIRECTORY_FLAGS and program != "uv"
        else:
            found.append(word)
    return found
