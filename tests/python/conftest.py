"""Puts this folder on the path, so that every test can `from loopback import Loopback`."""
