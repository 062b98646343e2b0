"""`python -m reprise_harness`: the program."""

import os
import sys

from . import NotFound, binary

try:
    program = binary()
except NotFound as error:
    sys.exit(str(error))
if os.name == "posix":
    os.execv(program, [program, *sys.argv[1:]])
else:
    import subprocess

    sys.exit(subprocess.call([program, *sys.argv[1:]]))
