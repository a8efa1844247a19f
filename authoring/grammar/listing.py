"""Lists written as text, so that many entries fit on a line."""


def listed(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def entries(text: str) -> list[str]:
    """The entries of a text, separated by semicolons or line ends."""
    return [entry.strip() for line in text.strip().splitlines() for entry in line.split(";")]
