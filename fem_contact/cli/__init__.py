"""The command line: one file a command, imported when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from fem_contact._version import __version__
from fem_contact.errors import FemContactError

#: Command name -> (module, what it does in one line).
COMMANDS = {
    "run": ("fem_contact.cli.run", "Run a case and write its run file."),
    "check": ("fem_contact.cli.check", "Validate a case and say what it would run."),
    "mesh": ("fem_contact.cli.mesh", "Make or read a mesh, check it, write it."),
    "show": ("fem_contact.cli.show", "Print the energies, works and statistics of runs."),
    "plot": ("fem_contact.cli.plot", "Draw the figures of runs."),
    "export": ("fem_contact.cli.export", "Write the fields of a run for ParaView."),
    "converge": ("fem_contact.cli.converge", "Run a case at several step sizes and fit orders."),
    "reproduce": ("fem_contact.cli.reproduce", "Make the figures and tables of the papers anew."),
    "cases": ("fem_contact.cli.cases", "List the bundled cases."),
    "solve": ("fem_contact.cli.solve", "Solve a saved contact problem."),
    "compare-solvers": ("fem_contact.cli.compare_solvers", "Run the solvers on a folder of saved problems."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in COMMANDS:
            return None
        return importlib.import_module(COMMANDS[cmd_name][0]).command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fem-contact")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Finite-element contact dynamics: run cases, look at their energy budgets."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point: exit status 0 done, 1 failed with one clear line on stderr, 2 wrong usage."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    debug = "--debug" in arguments
    if debug:  # allowed anywhere on the line
        arguments = ["--debug", *(a for a in arguments if a != "--debug")]
    try:
        _quiet_warnings()
        status: Any = cli.main(args=arguments, prog_name="fem-contact", standalone_mode=False)
    except FemContactError as error:
        if debug:
            raise
        _fail(str(error), 1)
    except click.exceptions.Abort:
        _fail("stopped", 1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> None:
    # One line, whatever a file or a name that is quoted in it holds.
    line = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    print(f"fem-contact: error: {line}", file=sys.stderr)
    sys.exit(status)


def _quiet_warnings() -> None:
    """Our own warnings as one line each."""
    import warnings

    from fem_contact.errors import FemContactWarning

    def show(message: Any, category: type[Warning], *_: Any) -> None:
        if issubclass(category, FemContactWarning):
            print(f"fem-contact: warning: {message}", file=sys.stderr)

    warnings.showwarning = show  # type: ignore[assignment]
    warnings.simplefilter("always", FemContactWarning)
