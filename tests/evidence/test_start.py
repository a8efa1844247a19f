"""The parts of GPT-2's start, each put alone into a model that begins by Xavier's rule."""

import pytest
import torch

from evidence.claims.since_2017.sides import SIDES
from evidence.claims.since_2017.trained import started


def test_each_part_is_that_of_one_start_and_the_rest_that_of_the_other() -> None:
    usual, narrow, rows, matrices = (
        started(0, SIDES[name]["config"], **SIDES[name].get("embedding", {}))
        for name in (
            "GPT-2",
            "GPT-2, narrow start",
            "GPT-2, narrow embedding",
            "GPT-2, narrow matrices",
        )
    )
    for mixed, like, unlike in ((rows, narrow, usual), (matrices, usual, narrow)):
        assert mixed.embedding.scale == pytest.approx(like.embedding.scale)
        found, own, other = (dict(m.named_parameters()) for m in (mixed, like, unlike))
        for name, values in found.items():
            one = own if name == "embedding.weight" else other
            torch.testing.assert_close(values, one[name])
        assert not torch.allclose(found["embedding.weight"], other["embedding.weight"])
