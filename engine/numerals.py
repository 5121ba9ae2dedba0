"""Numbers as people write them. Python also reads `1_0` and the digits of other scripts, which nobody means as such."""


def has_other_digits(text: str) -> bool:
    """Whether there are digits of other scripts in it."""
    return any(one.isdigit() and not one.isascii() for one in text)


def plain_number(text: str) -> str:
    """The text of a number without blanks around it; raises ValueError for what only Python takes for one."""
    if "_" in text or has_other_digits(text):
        raise ValueError(f"no plain number: {text!r}")
    return text.strip()


def read_whole(text: str) -> int:
    """A whole number in the digits 0 to 9; raises ValueError."""
    return int(plain_number(text))


def read_number(text: str) -> float:
    """A number in the digits 0 to 9, such as 2.5, -3 or 1e-4; raises ValueError."""
    return float(plain_number(text))
