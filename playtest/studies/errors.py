"""What a service refuses, in words for the person who asked."""


class StudyError(Exception):
    """`code` is for programs and tests, the text is a plain sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
