"""The search for the numbers that models are drawn from."""

from authoring.bases import bases_of, serving
from transformer_checks.catalogue import CHECKS


def test_a_number_serves_if_it_shows_what_the_present_one_shows() -> None:
    check = CHECKS["decoder.greedy"]
    before = bases_of(check)
    assert [*serving(check, 0, [1, 3, 12])] == [1, 12]
    assert bases_of(check) == before
    assert not bases_of(CHECKS["attention.softmax"])
