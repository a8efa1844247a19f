"""A block, trained on everyday English for a given amount of work, and the loss that it reaches."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evidence.claims.since_2017.text import PIECES, TEXTS, TOKENS, draw_batch, everyday_text
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.moe import MixtureOfExperts, balance_loss, recorded_routes
from transformer_lesson.training.config import Schedule, TrainingConfig, learning_rate

# The block of GPT-2 (Radford et al. 2019), and what has been put in its place since. The weights
# begin as in Vaswani et al. 2017: a deviation of 0.02 is for GPT-2's width, and too small for 64.
GPT2 = ModelConfig(
    vocab_size=PIECES,
    d_model=64,
    num_heads=4,
    num_layers=4,
    d_ff=256,
    max_tokens=TOKENS,
    norm="pre",
    positions="learned",
    activation="gelu_tanh",
    initialization="paper",
)
EDITS: Mapping[str, Mapping[str, Any]] = {
    "RMS norm": {"norm_type": "rms"},
    "no biases": {"bias": False},
    "SwiGLU": {"activation": "swiglu", "d_ff": 171},  # as many parameters as two matrices of 256
    "rotary": {"positions": "rotary"},
    "grouped heads": {"num_kv_heads": 2},
    "query-key norm": {"qk_norm": True},
}
TODAY = replace(GPT2, **{name: value for edit in EDITS.values() for name, value in edit.items()})
# Of GPT-2's block; others take as many as their operations allow
STEPS = 200
BALANCE = 0.01  # as in Fedus et al. 2022, section 2.2


def optimizers(model: nn.Module, muon: bool) -> list[torch.optim.Optimizer]:
    """AdamW for all weights; or Muon for the matrices of the layers, and AdamW for the rest."""
    own = [p for name, p in model.named_parameters() if muon and ".layers." in name and p.dim() > 1]
    rest = [p for p in model.parameters() if not any(p is matrix for matrix in own)]
    made: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(rest, lr=0.0, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    ]
    if own:
        made.append(torch.optim.Muon(own, lr=0.0, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"))
    return made


def step(
    model: nn.Module,
    made: list[torch.optim.Optimizer],
    batch: Tensor,
    rate: float,
    balance: float = BALANCE,
) -> None:
    """Change the weights once, at ``rate``, towards predicting each next piece of ``batch``.

    Where there are experts, ``balance`` times the mean balance loss of the layers is added.
    """
    mixed = any(isinstance(module, MixtureOfExperts) for module in model.modules())
    recording: AbstractContextManager[Any] = recorded_routes(model) if mixed else nullcontext(())
    with recording as routes:
        logits = model(batch[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    loss = loss + balance * sum(balance_loss(*route) for route in routes) / max(len(routes), 1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in made:
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
        optimizer.zero_grad()


def operations(config: ModelConfig, muon: bool = False) -> int:
    """Count the operations of one step's products with weights: forward, backward and update.

    Products of queries with keys, and of weights with values, are the same in all sides.
    """
    from torch.utils.flop_counter import FlopCounterMode  # imports Triton, which others set up

    model = DecoderOnly(config, generator=seeded(0))
    with FlopCounterMode(display=False) as counter:
        step(model, optimizers(model, muon), torch.zeros(TEXTS, TOKENS + 1, dtype=torch.long), 0.0)
    return counter.get_total_flops()


@torch.no_grad()
def loss_on(model: nn.Module, stream: Tensor) -> float:
    """Return the mean loss in nats per piece of ``stream``, read in texts of ``TOKENS``."""
    rows = stream[: (len(stream) - 1) // TOKENS * TOKENS + 1]
    inputs, targets = rows[:-1].view(-1, TOKENS), rows[1:]
    return F.cross_entropy(model.eval()(inputs).flatten(0, 1), targets).item()


def started(seed: int, config: ModelConfig, rows: float = 1.0, scale: float = 1.0) -> DecoderOnly:
    """Return a new model, its embedding's ``rows`` and what multiplies them that many times."""
    model = DecoderOnly(config, generator=seeded(seed))
    model.embedding.weight.data *= rows
    model.embedding.scale *= scale
    return model


def trained(
    seed: int,
    config: ModelConfig,
    rate: float,
    *,
    embedding: Mapping[str, float] = {},
    muon: bool = False,
    schedule: Schedule = "cosine",
    balance: float = BALANCE,
    work: float = 1.0,
) -> nn.Module:
    """Train a new model for ``work`` times what GPT-2's block does in ``STEPS`` steps.

    Seeds give the start of the weights and the batches: runs of one seed are paired.
    """
    steps = round(work * STEPS * operations(GPT2) / operations(config, muon))
    plan = TrainingConfig(
        steps=steps,
        learning_rate=rate,
        warmup_steps=steps // 10,
        schedule=schedule,
        decay_steps=steps // 5 if schedule == "stable" else 0,
    )
    model = started(seed, config, **embedding)
    made, batches, stream = optimizers(model, muon), seeded(1_000 + seed), everyday_text().train
    for number in range(1, steps + 1):
        step(model, made, draw_batch(stream, batches), learning_rate(number, plan), balance)
    return model
