"""What the claims of lesson 12 do to translators: heads switched off, and attentions exchanged."""

import pytest
import torch
from torch.nn.functional import pad

from evidence.claims.inside import translators
from evidence.claims.inside.gender import CROSS, OWN, SELF, Pair, Side, lead, patched, written
from evidence.claims.inside.translators import Read, heads, hooked, loss, means, switched_off
from tests.small_models import config, ids
from transformer_lesson import seeded
from transformer_lesson.models import EncoderDecoder


def model() -> EncoderDecoder:
    return EncoderDecoder(config(), generator=seeded(0)).eval()


def test_the_shipped_weights_are_those_that_were_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert translators.shipped.__wrapped__()
    monkeypatch.setattr(translators, "WEIGHTS", "others")
    with pytest.raises(ValueError, match="measure the claims of lesson 12 again"):
        translators.shipped.__wrapped__()


def test_a_head_that_is_off_gives_its_part_of_the_mean_and_others_what_they_did() -> None:
    of = Read(model(), ids(3, 5), ids(3, 6, seed=1))
    name, number = heads(of.model)[-1]
    usual, given = means(of), list[torch.Tensor]()
    # Hooks run in the order in which they are made: this one before and after the change.
    note = {name: lambda _, inputs: given.append(inputs[0])}
    off = switched_off(of.model, [(name, number)], usual)
    with hooked(of.model, note), off, hooked(of.model, note):
        loss(of)
    before, after = given
    own, other = after.chunk(2, -1)[number], after.chunk(2, -1)[1 - number]
    assert torch.equal(other, before.chunk(2, -1)[1 - number])
    assert torch.equal(own, usual[name].chunk(2)[number].expand_as(own))
    torch.testing.assert_close(before.flatten(0, 1).mean(0), usual[name])


def test_means_leave_padding_out() -> None:
    source, target, of = ids(2, 5), ids(2, 6, seed=1), model()
    whole = means(Read(of, source, pad(target, (0, 1), value=9)))  # the last is only asked for
    longer = means(Read(of, pad(source, (0, 3)), pad(target, (0, 3))))
    for name, mean in whole.items():
        torch.testing.assert_close(longer[name], mean)


def test_what_all_attentions_give_on_another_side_gives_its_lead() -> None:
    """The last token is the same on both sides, so nothing else can tell them apart."""
    one, other = (Side(ids(1, 5, seed), [3 + seed], [6 + seed], [9]) for seed in (0, 1))
    pair, of = Pair((one, other), (4, 5)), model()
    leads = [lead(of, side, written(side, side), pair.forms) for side in pair.sides]
    assert abs(leads[0] - leads[1]) > 1e-3
    both = {SELF: other, CROSS: other, OWN: one}
    assert patched(of, pair, both) == pytest.approx(leads[1], abs=1e-5)
    assert patched(of, pair, {**both, SELF: one, CROSS: one}) == pytest.approx(leads[0], abs=1e-5)
    assert patched(of, pair, {**both, CROSS: one}) != pytest.approx(leads[1], abs=1e-5)
