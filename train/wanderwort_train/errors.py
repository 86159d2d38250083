"""The one error that a user is meant to read; anything else is a defect of the program."""


class TrainingError(Exception):
    """Bad input or a broken environment: the message says what was found, where, and what to do."""
