"""The command line: words in, a call of the library, words out. No logic of its own.

Exit status 0 done; 2 input or arguments are wrong; 1 a failure of ours; 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from veggies_sim import __version__
from veggies_sim.core.errors import InputError, RunFailed, brief, nearest, unknown

DEBUG = "VEGGIES_SIM_DEBUG"  # environment variable that asks for the traceback of a fault of ours


class _Once(argparse.Action):
    """Keeps the value of an option and refuses a second one."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        seen = namespace.__dict__.setdefault("_seen", set())
        if option_string and self.dest in seen:
            raise argparse.ArgumentError(self, "is given twice; give it once")
        seen.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """One clear line for a wrong argument, and the way to the help; without a command, the help itself."""

    below: argparse._SubParsersAction[_Parser] | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("action", None, _Once)

    def add_subparsers(self, **options: Any) -> Any:
        """Add the commands below this parser."""
        self.set_defaults(run=self._help)
        self.below = super().add_subparsers(**options)
        return self.below

    def commands(self) -> list[str]:
        """Return the full names of all commands below this parser, its own "" among them where it does more than help."""
        below = self.below.choices if self.below else {}
        own = [] if self.get_default("run") == self._help else [""]
        return own + [f"{name} {inner}".strip() for name, parser in below.items() for inner in parser.commands()]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action is self.below and value not in self.below.choices:
            raise unknown("subcommand", value, self.below.choices)
        super()._check_value(action, value)

    def parse_known_args(self, *words: Any, **options: Any) -> Any:
        """Parse, and refuse words left over here, where the command that they were given to is known."""
        arguments, others = super().parse_known_args(*words, **options)
        if others:
            guess = next(filter(None, (nearest(word.split("=")[0], self._option_string_actions) for word in others)), None)
            hint = f" (did you mean {guess}?)" if guess else ""
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return arguments, others

    def _help(self, _arguments: argparse.Namespace) -> int:
        self.print_help(sys.stderr)
        return 2

    def error(self, message: str) -> NoReturn:
        short = message if len(message) <= 400 else f"{message[:200]} ... {message[-200:]}"  # a word may be of any length
        raise InputError(f"{short}. See: {self.prog} --help")


def build_parser() -> _Parser:
    """Return the parser of all commands."""
    from veggies_sim.cli import (  # here, where `main` meets a Ctrl-C
        catalog,
        compare,
        deck,
        inspect,
        ladder,
        report,
        simulate,
        sweep,
    )

    parser = _Parser(prog="veggies-sim", description="Monte Carlo analytics for small card games.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"veggies-sim {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for module in (simulate, inspect, report, compare, ladder, sweep, deck, catalog):
        module.add_commands(commands)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    _mend_streams()
    try:
        parser = build_parser()
        names = parser.commands()
        if words and not words[0].startswith("-") and words[0] not in {name.split()[0] for name in names}:
            raise unknown("command", words[0], names)
        arguments = parser.parse_args(words)
        status = arguments.run(arguments)
        sys.stdout.flush()
        return int(status or 0)
    except InputError as error:
        return _say(str(error), 2)
    except RunFailed as error:
        return _say(str(error), 1)
    except KeyboardInterrupt as stop:
        return _say(f"interrupted{f'; {stop}' if str(stop) else ''}", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop(sys.stdout)
        return 0
    except OSError as error:
        _drop(sys.stdout)  # it may be what can't be written
        return _say(str(error), 1)
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        return _say(f"a fault of ours: {brief(error)}. Please report it; with {DEBUG}=1 the traceback is shown.", 1)


def _mend_streams() -> None:
    """Make the standard streams take every word: letters they lack become escapes, closed ones lead to nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop(stream: TextIO) -> None:
    """Lead a stream that can't be written to nowhere, or Python would complain about it at the exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _say(words: str, status: int) -> int:
    """Print a message and return the exit status."""
    try:
        print(f"veggies-sim: {words}", file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
