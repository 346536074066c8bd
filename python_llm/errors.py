"""Errors that whoever runs a command can mend."""


class UserError(ValueError):
    """What was asked for cannot be done; the text is one sentence that says why, where (file and
    row, if it is a file's) and what to do. Commands print it without a traceback."""


class FileError(UserError):
    """A file that cannot be imported, or a stored one that cannot be read any more."""
