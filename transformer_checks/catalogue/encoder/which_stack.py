"""encoder.which_stack: where the norm stands, and whether there is a residual, from the stream."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, redrawn

KINDS = 4
CLEAR = 0.1  # how far what tells two kinds apart lies from the limit between them


def _stream(generator: Generator, kind: int, layers: int, tokens: int, d_model: int) -> Tensor:
    """What goes into a stack and comes out of its layers: (layers + 1, tokens, d_model)."""
    norm_last, residual = kind % 2 == 1, kind < 2
    x = normal(generator, tokens, d_model) * 1.5 + 0.3
    stream = [x]
    for _ in range(layers):
        mixing = normal(generator, tokens, tokens).softmax(-1)
        matrix = normal(generator, d_model, d_model) / d_model**0.5
        part = mixing @ (x if norm_last else F.layer_norm(x, (d_model,))) @ matrix
        x = x + part if residual else part
        x = F.layer_norm(x, (d_model,)) if norm_last else x
        stream.append(x)
    return torch.stack(stream) / (_size(torch.stack(stream[1:]), kind) if tokens > 1 else 1.0)


def _size(after: Tensor, kind: int) -> Tensor:
    """What a pre-norm stream is divided by: something in it then has the spread 1, or all less."""
    spread = after.std(-1, correction=0)  # (layers, tokens)
    if kind == 0:
        return spread[-1, 0] if len(after) > 1 else 3 * spread.max()
    if kind == 2:
        return spread.mean() if len(after) > 1 else after.std(correction=0)
    return torch.ones(())


def _clear_stream(
    generator: Generator, kind: int, layers: int, tokens: int, d_model: int
) -> Tensor:
    """A stream that tells its kind: redrawn until it does."""

    def attempt() -> Tensor | None:
        stream = _stream(generator, kind, layers, tokens, d_model)
        kept = F.cosine_similarity(stream[:-1], stream[1:], dim=-1).mean()
        off = (stream[1:].std(-1, correction=0) - 1).abs().amax(-1)  # in every layer some token is
        told = kept > 0.5 + CLEAR if kind < 2 else kept < 0.5 - CLEAR
        return stream if told and (kind % 2 == 1 or off.min() > CLEAR) else None

    return redrawn(attempt)


def _nearly_one(generator: Generator) -> Tensor:
    """A pre-norm stream whose tokens all have a spread a little above 1, which a norm never has."""
    x = 0.3 + 1.15 * F.layer_norm(normal(generator, 2, 6), (6,))
    return torch.stack([x, x + 0.02 * normal(generator, 2, 6)])


def _of_many_sizes(generator: Generator) -> Tensor:
    """Streams whose tokens go in with many sizes, which changes no cosine."""
    kinds = torch.randperm(KINDS, generator=generator).tolist()
    streams = torch.stack([_clear_stream(generator, kind, 2, 20, 18) for kind in kinds])
    streams[:, 0] *= torch.tensor([1.0, 30.0, 1e-4, 3.0]).repeat(5)[:, None]
    streams[:, 0, 0, 0] = 0.0
    return streams


def _some_one(generator: Generator) -> Tensor:
    """A pre-norm stream whose first and last token leave with the spread 1 by chance."""
    sizes = torch.tensor([1.0, 1.4, 1.0])[:, None]
    x = 0.3 + sizes * F.layer_norm(normal(generator, 3, 6), (6,))
    return torch.stack([x - 0.02 * normal(generator, 3, 6), x])


def _one_lost(generator: Generator) -> Tensor:
    """A pre-norm stream that keeps its tokens, but one of them hardly at all in its first layer."""

    def attempt() -> Tensor | None:
        stream = _clear_stream(generator, 0, 3, 6, 4)
        lost = F.cosine_similarity(stream[0], stream[1], dim=-1).min() < 0.4
        return stream if lost else None

    return redrawn(attempt)


def _normed_before(generator: Generator) -> Tensor:
    """A post-norm stream whose tokens have just left a norm when they go in, too."""
    while True:
        stream = _clear_stream(generator, 1, 2, 3, 6)
        stream[0] = F.layer_norm(stream[0], (6,))
        if F.cosine_similarity(stream[:-1], stream[1:], dim=-1).mean() > 0.5 + CLEAR:
            return stream


def _narrow(generator: Generator) -> Tensor:
    """Two stacks with the norm last: width 4 tells the two divisors of a spread well apart."""
    kinds = torch.tensor([1, 3])[torch.randperm(2, generator=generator)].tolist()
    return torch.stack([_clear_stream(generator, kind, 2, 3, 4) for kind in kinds])


def _draw(generator: Generator) -> list[Case]:
    sizes = [(1, 1, 2, 4), (1, 2, 1, 5), (2, 3, 2, 6), (4, 1, 3, 8), (4, 6, 5, 12), (7, 4, 3, 9)]
    cases = []
    for stacks, layers, tokens, d_model in sizes:
        kinds = torch.randperm(stacks * KINDS, generator=generator)[:stacks] % KINDS
        if stacks == KINDS:
            kinds = torch.randperm(KINDS, generator=generator)
        streams = [
            _clear_stream(generator, kind, layers, tokens, d_model) for kind in kinds.tolist()
        ]
        label = f"{stacks} stack{'s' * (stacks > 1)}, {layers} layer{'s' * (layers > 1)}"
        cases.append(Case(label, {"streams": torch.stack(streams)}))
    return [
        *cases,
        Case("spreads of about 1.15", {"streams": _nearly_one(generator)[None]}),
        Case(
            "20 tokens of width 18 that go in with many sizes",
            {"streams": _of_many_sizes(generator)},
        ),
        Case("2 stacks of width 4", {"streams": _narrow(generator)}),
        Case("a stack of normed tokens", {"streams": _normed_before(generator)[None]}),
        Case("one stack, 3 tokens", {"streams": _some_one(generator)[None]}),
        Case("one stack, 6 tokens, one hardly kept", {"streams": _one_lost(generator)[None]}),
    ]


CHECK = Check(
    name="encoder.which_stack",
    lesson="05_encoder",
    title="Which stack is this?",
    answer="which_stacks",
    returns=("kind", "kept"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
