"""The translators of lesson 12: the one that ships, and small ones trained anew on a grammar.

The shipped one is one model: its runs differ in the sentences. Of those trained anew, the grammar
is that of lesson 06, and each run is another model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from evidence.claims.decoder import french
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.translator import SHIPPED, Translator, examples

PAD, SENTENCES = 0, 64
ONE_MODEL = "The shipped translator is one model, whose runs differ in the sentences alone."
WEIGHTS = (
    "57a072780ad9044f"  # digest of the shipped weights: runs of others are those of another model
)
KINDS = ("encoder.self_attention", "decoder.self_attention", "decoder.cross_attention")
Hook = Callable[[torch.nn.Module, tuple[Tensor, ...]], Any]


class Read(NamedTuple):
    """A translator and sentences that it was not trained on.

    Attributes:
        model: in evaluation mode.
        source, target: ids ``(sentences, tokens)``, the target with start and end; 0 is padding.
    """

    model: EncoderDecoder
    source: Tensor
    target: Tensor


@cache
def shipped() -> Translator:
    """Return the translator that comes with the course.

    Raises:
        ValueError: its weights are not those that the stored runs were made with.
    """
    found = sha256((SHIPPED / "model.safetensors").read_bytes()).hexdigest()[:16]
    if found != WEIGHTS:
        raise ValueError(
            f"the shipped weights have the digest {found}; the runs are those of {WEIGHTS}. Put "
            "the new one here and measure the claims of lesson 12 again."
        )
    return Translator.shipped()


@cache
def _unseen() -> list[tuple[list[int], list[int]]]:
    pairs = [pair for pair in load_everyday().test if "short" in pair.phenomena]
    return examples(pairs, shipped().vocabulary, 40)


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return ids ``(rows, tokens)``, filled up with padding on the right."""
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def translator(seed: int, which: str) -> EncoderDecoder:
    """Return the ``"shipped"`` model, one ``"trained anew"``, or one like the first, untrained."""
    if which == "shipped":
        return shipped().model
    if which == "trained anew":
        return french.trained(seed).eval()
    return EncoderDecoder(shipped().model.config, generator=seeded(seed)).eval()


def read(seed: int, which: str) -> Read:
    """Return a translator with 64 unseen sentences, drawn by the seed."""
    model, drawing = translator(seed, which), seeded(5000 + seed)
    if which == "trained anew":
        chosen = torch.randperm(len(french.HELD_OUT), generator=drawing)[:SENTENCES].tolist()
        english = [french.HELD_OUT[index] for index in chosen]
        ways = [f"[start] {french.translations(text)[0]} [end]" for text in english]
        return Read(model, french.encode(english), french.encode(ways))
    chosen = torch.randperm(len(_unseen()), generator=drawing)[:SENTENCES].tolist()
    sources, targets = zip(*(_unseen()[index] for index in chosen), strict=True)
    return Read(model, padded(sources), padded(targets))


@torch.no_grad()
def loss(of: Read) -> float:
    """Return the mean loss in nats per piece of the target, start left out."""
    logits = of.model(of.source, of.target[:, :-1])
    return F.cross_entropy(logits.mT, of.target[:, 1:], ignore_index=PAD).item()


def attentions(model: EncoderDecoder) -> dict[str, MultiHeadAttention]:
    """Return the attentions by name, in the order of ``KINDS`` and of layers."""
    named = {n: m for n, m in model.named_modules() if isinstance(m, MultiHeadAttention)}
    return {name: named[name] for kind in KINDS for name in named if kind_of(name) == kind}


def kind_of(name: str) -> str:
    """Return which of ``KINDS`` an attention belongs to."""
    stack, *_, part = name.split(".")
    return f"{stack}.{part}"


@contextmanager
def hooked(model: EncoderDecoder, hooks: Mapping[str, Hook]) -> Iterator[None]:
    """Let hooks see, and change, what the heads of these attentions give, side by side."""
    parts = attentions(model)
    made = [
        parts[name].output_projection.register_forward_pre_hook(hook)
        for name, hook in hooks.items()
    ]
    try:
        yield
    finally:
        for one in made:
            one.remove()


Head = tuple[str, int]


def heads(model: EncoderDecoder) -> list[Head]:
    """Return all heads, as the name of their attention and their number in it."""
    return [(name, n) for name, m in attentions(model).items() for n in range(m.num_heads)]


def means(of: Read) -> dict[str, Tensor]:
    """Return the mean ``(d_model,)`` of what the heads of each attention give, without padding."""
    found: dict[str, Tensor] = {}

    def noting(name: str) -> Hook:
        ids = of.source if name.startswith("encoder") else of.target[:, :-1]
        return lambda _, inputs: found.__setitem__(name, inputs[0][ids != PAD].mean(0))

    with hooked(of.model, {name: noting(name) for name in attentions(of.model)}):
        loss(of)
    return found


def switched_off(
    model: EncoderDecoder, off: Sequence[Head], instead: Mapping[str, Tensor] | None = None
) -> Any:
    """Let heads give zeros, or their part of what ``means`` has found."""
    width = model.config.head_width

    def without(name: str) -> Hook:
        columns = [c for n, h in off if n == name for c in range(h * width, (h + 1) * width)]

        def change(_: torch.nn.Module, inputs: tuple[Tensor, ...]) -> Tensor:
            changed = inputs[0].clone()
            changed[..., columns] = instead[name][columns] if instead else 0.0
            return changed

        return change

    return hooked(model, {name: without(name) for name in {name for name, _ in off}})
