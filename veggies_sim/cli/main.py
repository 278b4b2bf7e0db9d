"""The command line: words in, a call of the library, words out. No logic of its own.

Exit status 0 done; 2 input or arguments are wrong; 1 a failure of ours; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from veggies_sim import __version__
from veggies_sim.cli import catalog, deck, inspect, simulate
from veggies_sim.core.errors import InputError, RunFailed, unknown


class _Parser(argparse.ArgumentParser):
    """One clear line for a wrong argument, and the way to the help; without a command, the help itself."""

    below: argparse._SubParsersAction[_Parser] | None = None

    def add_subparsers(self, **options: Any) -> Any:
        """Add the commands below this parser."""
        self.set_defaults(run=self._help)
        self.below = super().add_subparsers(**options)
        return self.below

    def commands(self) -> list[str]:
        """Return the full names of all commands below this parser."""
        below = self.below.choices if self.below else {}
        return [f"{name} {inner}".strip() for name, parser in below.items() for inner in parser.commands() or [""]]

    def _help(self, _arguments: argparse.Namespace) -> int:
        self.print_help(sys.stderr)
        return 2

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}. See: {self.prog} --help")


def build_parser() -> _Parser:
    """Return the parser of all commands."""
    parser = _Parser(prog="veggies-sim", description="Monte Carlo analytics for small card games.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"veggies-sim {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for module in (simulate, inspect, deck, catalog):
        module.add_commands(commands)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if words is None else words
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
        print(f"veggies-sim: {error}", file=sys.stderr)
        return 2
    except RunFailed as error:
        print(f"veggies-sim: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(f"veggies-sim: interrupted{f'; {stop}' if str(stop) else ''}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
