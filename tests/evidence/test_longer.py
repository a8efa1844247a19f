"""What becomes of signs when training goes on."""

import pytest

from evidence.longer import Later, Sign

PAIR = ("with", "without")
CLEAR, NEITHER = (0.10, 0.12, 0.11), (0.01, -0.01, 0.0)


@pytest.mark.parametrize(
    ("before", "after", "sign"),
    [
        (CLEAR, (0.01, 0.02), "stays"),
        (CLEAR, (-0.01, -0.02), "turns"),
        (CLEAR, (0.01, -0.02), "open"),
        (NEITHER, (0.5, 0.5), "none before"),
        (tuple(-gain for gain in CLEAR), (-0.01, -0.02), "stays"),
        (tuple(-gain for gain in CLEAR), (0.01, 0.02), "turns"),
    ],
)
def test_a_sign_stays_where_all_longer_runs_have_it(
    before: tuple[float, ...], after: tuple[float, ...], sign: Sign
) -> None:
    assert Later(PAIR, before, after).sign == sign


def test_what_is_left_is_told_of_the_same_seeds() -> None:
    assert Later(PAIR, (0.1, 0.3, 9.0), (0.1, 0.1)).left == pytest.approx(0.5)
