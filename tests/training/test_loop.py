import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.fixtures import Capture, Patch
from tests.training import small
from tests.training.small import BATCHES, OBJECTIVE, SENTENCES, small_model
from transformer_lesson.training import (
    Diverged,
    History,
    TokenBatches,
    TrainingConfig,
    learning_rate,
    summed_cross_entropy,
)

CONFIG = TrainingConfig(steps=12, learning_rate=0.01, warmup_steps=3)


def run(model: Any = None, config: TrainingConfig = CONFIG, **more: Any) -> History:
    return small.run(config, model, **more)


def adam(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    """AdamW with decay on matrices only, as in lesson 07."""
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 5.0}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups)


@pytest.mark.parametrize("made", [None, adamw], ids=["the usual", "adamw"])
def test_equals_a_bare_loop(made: Callable[[nn.Module], torch.optim.Optimizer] | None) -> None:
    model, twin = small_model(dropout=0.0), small_model(dropout=0.0)
    history = run(model, optimizer=made and made(model))
    optimizer = (made or adam)(twin)
    for step in range(12):
        tokens = BATCHES(step)
        assert isinstance(tokens, Tensor)
        total, count = summed_cross_entropy(twin(tokens[:, :-1]), tokens[:, 1:], padding_id=0)
        optimizer.zero_grad()
        (total / count).backward()
        norm = nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step + 1, CONFIG)
        optimizer.step()
        assert history.losses[step] == pytest.approx(total.item() / count, rel=1e-4)
        assert history.gradient_norms[step] == pytest.approx(norm.item(), rel=1e-3)
        assert history.tokens[step] == count
    # Not weight by weight: a bias of the keys has gradient 0, and Adam enlarges what rounding left.
    tokens = torch.tensor(SENTENCES[:1])
    torch.testing.assert_close(model(tokens), twin(tokens), rtol=1e-3, atol=1e-4)


def test_an_optimizer_of_something_else() -> None:
    model, other = small_model(), small_model()
    with pytest.raises(ValueError, match=r"does not hold embedding\.weight; give it all"):
        run(model, optimizer=torch.optim.SGD(other.parameters(), 0.1))
    both = torch.optim.SGD([*model.parameters(), *other.decoder.final_norm.parameters()], 0.1)
    with pytest.raises(ValueError, match="holds 2 parameters of another model"):
        run(model, optimizer=both)
    model.embedding.weight.requires_grad_(False)
    before = model.embedding.weight.clone()
    run(model, optimizer=torch.optim.SGD(model.parameters(), 0.1))
    assert torch.equal(model.embedding.weight, before)


def test_it_learns_and_repeats_bit_for_bit() -> None:
    config = TrainingConfig(steps=60, learning_rate=0.02, warmup_steps=10, schedule="paper")
    first, second = run(small_model(), config), run(small_model(), config)
    assert first.losses == second.losses
    assert first.losses[-1] < first.losses[0] / 2


def test_a_step_on_a_cpu_seeds_no_gpu(monkeypatch: Patch) -> None:
    """Where there is none, torch formats a stack trace each time: a seventh of a small step."""
    monkeypatch.setattr(torch.cuda, "manual_seed_all", lambda _: pytest.fail("a GPU was seeded"))
    run()


def test_the_seed_decides_dropout_and_leaves_the_global_generator_alone() -> None:
    state = torch.random.get_rng_state()
    one, two = (run(config=replace(CONFIG, steps=2, seed=seed)) for seed in (1, 2))
    assert one.losses[0] != two.losses[0]
    assert torch.random.get_rng_state().equal(state)


def test_accumulation_weighs_by_tokens() -> None:
    """Two batches a step are one step over both, though they hold different numbers of tokens."""
    model, twin = small_model(dropout=0.0), small_model(dropout=0.0)
    config = TrainingConfig(steps=3, learning_rate=0.01, batches_per_step=2, clip_norm=None)
    history = run(model, config)

    def both(model: nn.Module, pair: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
        (one, first), (two, second) = (OBJECTIVE(model, tokens) for tokens in pair)
        return one + two, first + second

    whole = run(
        twin,
        replace(config, batches_per_step=1),
        objective=both,
        batches=lambda number: (BATCHES(2 * number), BATCHES(2 * number + 1)),
    )
    assert history.tokens == whole.tokens
    assert history.losses == pytest.approx(whole.losses, rel=1e-4)
    assert history.gradient_norms == pytest.approx(whole.gradient_norms, rel=1e-3)


def test_evaluates_without_dropout_and_gradients_at_intervals() -> None:
    seen = []

    def evaluate(model: nn.Module) -> dict[str, float]:
        seen.append((model.training, torch.is_grad_enabled()))
        return {"half": 0.5}

    config = TrainingConfig(steps=7, learning_rate=0.01, evaluate_every=3)
    model = small_model()
    history = run(model, config, evaluate=evaluate)
    assert [step for step, _ in history.evaluations] == [0, 3, 6, 7]
    assert set(seen) == {(False, False)}
    assert not model.training
    assert history.table().loc[3, "half"] == 0.5


def test_frozen_weights_stay() -> None:
    model = small_model()
    frozen = model.decoder.layers[0]
    before = [p.clone() for p in frozen.parameters()]
    frozen.requires_grad_(False)
    run(model)
    assert all(a.equal(b) for a, b in zip(frozen.parameters(), before, strict=True))


def test_ctrl_c_twice_interrupts_at_once() -> None:
    def batches(number: int) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        return BATCHES(number)

    with pytest.raises(KeyboardInterrupt):
        run(batches=batches)


def test_works_in_another_thread() -> None:
    histories: list[History] = []
    thread = threading.Thread(target=lambda: histories.append(run()))
    thread.start()
    thread.join()
    assert histories[0].losses == run().losses


def test_a_nan_names_step_and_tensor_and_keeps_the_weights() -> None:
    model = small_model()

    def poison(module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        return output * torch.nan

    def batches(number: int) -> Any:
        if number == 3:
            model.get_submodule("decoder.layers.1.feed_forward").register_forward_hook(poison)
        return BATCHES(number)

    with pytest.raises(Diverged, match=r"step 4 .*output of decoder\.layers\.1\.feed_forward\b"):
        run(model, batches=batches)
    assert all(p.isfinite().all() for p in model.parameters())


def test_a_nan_in_the_weights_is_named_first() -> None:
    model = small_model()
    with torch.no_grad():
        model.get_parameter("decoder.layers.0.self_attention.key_projection.bias")[0] = torch.inf
    with pytest.raises(Diverged, match=r"step 1 .*weight decoder.layers.0.self_attention.key_pro"):
        run(model)


def test_a_gradient_that_is_no_number_stops_too() -> None:
    class Root(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(2))

    def objective(model: nn.Module, batch: None) -> tuple[Tensor, int]:
        assert isinstance(model, Root)
        return model.weight.sqrt().sum(), 1

    with pytest.raises(Diverged, match="gradient of weight"):
        run(Root(), objective=objective, batches=lambda number: None)


def test_an_id_that_the_model_does_not_know_is_named_before_the_first_step() -> None:
    for beyond in (16, -1):
        batches = TokenBatches([*SENTENCES, [1, beyond, 2]], 80)
        with pytest.raises(ValueError, match=f"token id {beyond} is beyond .* from 0 to 15"):
            run(batches=batches)


def test_a_step_of_padding_is_refused() -> None:
    empty = torch.zeros(2, 5, dtype=torch.long)
    with pytest.raises(ValueError, match="step 1 has no token but padding"):
        run(batches=lambda number: empty)
    # One such batch among others counts for nothing and harms nothing.
    config = TrainingConfig(steps=2, learning_rate=0.01, batches_per_step=2)
    odd_ones = run(config=config, batches=lambda number: BATCHES(number) if number % 2 else empty)
    assert odd_ones.steps == 2


def test_the_bar_shows_loss_and_speed(capsys: Capture) -> None:
    run(progress=True)
    shown = capsys.readouterr().err
    assert "12/12" in shown and "loss" in shown and "tokens/s" in shown
