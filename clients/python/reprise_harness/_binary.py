"""Where the program is."""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Iterator

NAME = "reprise.exe" if os.name == "nt" else "reprise"


class NotFound(FileNotFoundError):
    """No `reprise` of this package was found; the message lists where it was looked for."""


def binary() -> str:
    """The path of the program that came with this package.

    Looked for in this order: the environment variable REPRISE_BINARY; the places where installers put scripts; and every
    folder of PATH, where other programs have the name too, so that one counts only if its `--version` is that of this package.
    """
    given = os.environ.get("REPRISE_BINARY")
    if given:
        if os.access(given, os.X_OK):
            return given
        raise NotFound(f"REPRISE_BINARY is {given}, which can't be executed")
    places = list(dict.fromkeys(_places()))
    for place in places:
        if os.access(place / NAME, os.X_OK):
            return str(place / NAME)
    tried = [f"  {place / NAME}: not there" for place in places]
    for folder in dict.fromkeys(os.get_exec_path()):
        on_path = os.path.join(folder or os.curdir, NAME)
        if shutil.which(on_path) is None:
            tried.append(f"  {on_path}, on PATH: not there")
            continue
        said = _said(on_path)
        if said == f"reprise {_version()} (reprise-harness)":
            return on_path
        tried.append(f"  {on_path}, on PATH: another program or version, it says {said!r}")
    raise NotFound("no program `reprise` of this package; set REPRISE_BINARY to its path. Looked for:\n" + "\n".join(tried))


def _said(program: str) -> str:
    """What a program answers to `--version`, or why it does not."""
    try:
        asked = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return asked.stdout.strip()


def _version() -> str:
    try:
        # A package says `.dev0` where the program says `-dev`.
        return version("reprise-harness").replace(".dev0", "-dev")
    except PackageNotFoundError:
        return "(not installed)"


def _places() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts"))
    user = "posix_user" if os.name == "posix" else f"{os.name}_user"
    yield Path(sysconfig.get_path("scripts", scheme=user))
    package = Path(__file__).resolve().parent
    # `pip install --target DIR` puts the package into DIR, and the program into DIR/bin.
    yield package.parent / "bin"
    # `pip install --prefix DIR`: DIR/lib/pythonX.Y/site-packages, and DIR/bin.
    if len(package.parents) > 3:
        yield package.parents[3] / "bin"
    yield Path(sys.prefix) / "bin"
