"""Puts this folder on the path, so that every test can `from loopback import Loopback`."""

import signal

# A shell that starts `make test` in the background leaves SIGINT ignored, and every process the
# tests start would inherit that; the tests of Ctrl-C want it as a terminal has it.
signal.signal(signal.SIGINT, signal.default_int_handler)
