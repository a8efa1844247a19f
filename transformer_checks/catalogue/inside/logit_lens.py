"""inside.logit_lens: what the model would say after each part of the stream."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, redrawn, tidy, uneven

CLEAR = 1e-3  # by how much the largest logit leads, of the size of its token's logits


def _draw(generator: Generator) -> list[Case]:
    far = torch.ones(2, 18).bool()
    far[0, :3], far[1, 9:] = False, False
    some = torch.tensor([True, False]).repeat(9)[:, None]
    return [
        _case(generator, "2 parts, 2 tokens, tied", tidy, (2, 1, 2, 2), 3, 0.1, tied=True),
        _case(generator, "2 parts, 2 tokens, an output of its own", tidy, (2, 1, 2, 2), 3, 0.1),
        _case(generator, "the embedding alone, one token", normal, (1, 1, 1, 4), 5, 1e-5),
        _case(generator, "padding in each text", normal, (3, 2, 5, 6), 7, 1e-5, _ends(4, 1, of=5)),
        _case(
            generator,
            "tied, one text all padding",
            normal,
            (4, 3, 4, 5),
            9,
            0.3,
            _ends(3, 0, 2, of=4),
            tied=True,
        ),
        _case(generator, "one text with padding", normal, (2, 1, 4, 6), 5, 1e-5, _ends(2, of=4)),
        _case(generator, "width 1", normal, (2, 2, 3, 1), 4, 0.1),
        _case(generator, "two pieces", normal, (5, 2, 4, 3), 2, 0.0, _ends(4, 2, of=4)),
        _case(generator, "18 texts of one token", normal, (2, 18, 1, 3), 4, 0.1, some),
        _case(
            generator, "18 tokens of width 19, 120 pieces", uneven, (3, 2, 18, 19), 120, 1e-4, far
        ),
        _case(
            generator,
            "tied, 18 tokens of width 19, 120 pieces",
            uneven,
            (3, 2, 18, 19),
            120,
            1e-4,
            far,
            tied=True,
        ),
    ]


def _case(
    generator: Generator,
    label: str,
    draw: Draw,
    shape: tuple[int, int, int, int],
    vocab: int,
    eps: float,
    real: Tensor | None = None,
    *,
    tied: bool = False,
) -> Case:
    """Redrawn until in each logit row one leads, and right and final pieces are told apart."""
    parts, batch, tokens, d_model = shape
    counts = torch.ones(batch, tokens).bool() if real is None else real

    def attempt() -> Case | None:
        stream = draw(generator, *shape)
        gain, bias = 1 + 0.5 * normal(generator, d_model), normal(generator, d_model) / 2
        if d_model > 16:  # two columns are left as they are, one is lost, and one is large
            gain[:4], bias[:4] = torch.tensor([1.0, 1.0, 0.0, 11.0]), torch.tensor([0, 0, 5e-4, 11])
        embedding = _rows(generator, draw, vocab, d_model)
        output = None if tied else _rows(generator, draw, vocab, d_model)
        inputs = (stream, gain, bias, eps, embedding, output)
        nothing = torch.zeros(batch, tokens, dtype=torch.int64)
        logits, _ = CHECK.text.run()(*inputs, nothing, counts)
        lead = logits.sort(dim=-1).values
        clear = (lead[..., -1] - lead[..., -2]) > CLEAR * logits.abs().amax(dim=-1)
        if not clear.all():
            return None
        # Right after some part or other, after none, and now and then what the model ends with.
        says = torch.cat([logits.argmax(dim=-1), nothing[None]])
        choice = torch.randint(parts + 1, (1, batch, tokens), generator=generator)
        targets = says.gather(0, choice)[0]
        targets[~counts] = says[0][~counts]  # in the padding the embedding is always right
        names = ("stream", "gain", "bias", "eps", "embedding", "output", "targets", "real")
        return Case(label, dict(zip(names, (*inputs, targets, counts), strict=True)))

    return redrawn(attempt)


def _rows(generator: Generator, draw: Draw, vocab: int, d_model: int) -> Tensor:
    """A row for each piece; of many, one holds a large number, one is 0, and one is small."""
    if d_model <= 16:
        return draw(generator, vocab, d_model)
    rows = normal(generator, vocab, d_model) / 2
    rows[0, 0], rows[1] = 11.0, 0.0
    rows[2] = 9e-4 * rows[2].sign()
    return rows


def _ends(*lengths: int, of: int) -> Tensor:
    """Which tokens of texts of these lengths are real."""
    return torch.arange(of) < torch.tensor(lengths)[:, None]


CHECK = Check(
    name="inside.logit_lens",
    lesson="12_inside",
    title="A lens on the logits",
    answer="logit_lens",
    returns=("logits", "right"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=4,
    minutes=15,
)
