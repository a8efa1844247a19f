"""Every part that opens, every switch and every swap gives the numbers of PyTorch."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any

import pytest
import torch
from playwright.sync_api import BrowserContext
from torch import Tensor, nn
from torch.nn import functional as F

from tests.widgets.small_models import SIZES, WORDS, small_translator, small_typed
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder, EncoderOnly, recorded_weights
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END, START
from transformer_lesson.widgets.sentence_models import typed_model

from .test_sentence_model import OTHER_KINDS, asked, check_maps, check_steps

TEXT = "A dog sees the cat."
OTHER = "The mat, the cat."
CLOSE: dict[str, Any] = {"atol": 2e-5, "rtol": 2e-5}
# What is taken away, by the names of the view, one at a time and together.
OFF = [
    ["decoder.cross_attention"],
    ["decoder.self_attention"],
    ["encoder.self_attention"],
    ["encoder.feed_forward", "decoder.feed_forward"],
    ["positions"],
    ["mask"],
    ["decoder.layers.1.cross_attention.2"],
    ["encoder.layers.0.self_attention.0", "decoder.layers.1.self_attention.1"],
    ["mask", "positions", "encoder.layers.1.self_attention.1"],
]


@contextmanager
def recorded(model: nn.Module) -> Iterator[dict[str, list[Tensor]]]:
    """Collect what goes into and comes out of every module, ``name`` and ``name.input``."""
    found: dict[str, list[Tensor]] = {}

    def record(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: tuple[Tensor, ...], returned: Any) -> None:
            out = returned[0] if isinstance(returned, tuple) else returned
            found.setdefault(name, []).append(out[0])
            found.setdefault(f"{name}.input", []).append(args[0][0])

        return hook

    with ExitStack() as stack:
        for name, module in model.named_modules():
            stack.callback(module.register_forward_hook(record(name)).remove)
        yield found


@contextmanager
def without(model: EncoderDecoder, off: list[str]) -> Iterator[None]:
    """Take away what the view calls ``off``, with plain hooks."""
    with ExitStack() as stack:
        for name, module in model.named_modules():
            kind = re.sub(r"layers\.\d+\.", "", name)
            if kind in off:

                def nothing(module: nn.Module, args: Any, returned: Any) -> Any:
                    if isinstance(returned, tuple):
                        return torch.zeros_like(returned[0]), *returned[1:]
                    return torch.zeros_like(returned)

                stack.callback(module.register_forward_hook(nothing).remove)
            named = [one.rpartition(".") for one in off]
            heads = [int(head) for of, _, head in named if of == name and head.isdigit()]
            if heads and isinstance(module, MultiHeadAttention):

                def silent(
                    linear: nn.Module, args: tuple[Tensor], heads: list[int] = heads
                ) -> tuple[Tensor]:
                    split = args[0].unflatten(-1, (model.config.num_heads, -1)).clone()
                    split[..., heads, :] = 0
                    return (split.flatten(-2),)

                projection = module.output_projection
                stack.callback(projection.register_forward_pre_hook(silent).remove)
        if "positions" in off:
            known = model.embedding.positions
            model.embedding.positions = None
            stack.callback(setattr, model.embedding, "positions", known)
        if "mask" in off:
            causal = model._causal
            unmasked: Any = lambda tokens, cache: model._padding(tokens)  # noqa: E731
            model._causal = unmasked  # type: ignore[method-assign]
            stack.callback(setattr, model, "_causal", causal)
        yield


def written(model: EncoderDecoder, source: Tensor, memory: Tensor) -> list[int]:
    """Write greedily, with every step read anew, as a machine without a mask needs it."""
    room = min(2 * source.shape[1] + 10, model.config.max_tokens)
    ids = [START]
    while len(ids) < room and ids[-1] != END:
        logits = model.decode(torch.tensor([ids]), memory, source)
        ids.append(int(logits[0, -1].argmax()))
    return ids


def tensor(numbers: Any) -> Tensor:
    """Return numbers of the browser, which sends -inf as null."""
    return torch.tensor([-torch.inf if one is None else one for one in numbers])


def expected_of(
    model: Any, name: str, ids: Tensor, found: dict[str, list[Tensor]]
) -> Tensor | None:
    """Return what PyTorch computes where the view says ``name``; None: it is compared elsewhere."""
    part, _, kind = name.rpartition(".")
    config: ModelConfig = model.config
    if kind == "embedding":
        return F.embedding(ids, model.embedding.weight) * model.embedding.scale
    if kind == "positions":
        rows: Tensor = model.embedding.positions(torch.arange(len(ids)))
        return rows
    if kind in ("query", "key") and (config.positions == "rotary" or config.qk_norm):
        return None  # they are turned or normed since; the scores are compared
    inside = {
        **{one: f"{part}.{one}_projection" for one in ("query", "key", "value")},
        "heads": f"{part}.output_projection.input",
        "hidden": f"{part}.down.input",
    }
    return found["encoder" if name == "memory" else inside.get(kind, name)][-1]


def check_trace(trace: dict[str, Any], model: Any, texts: list[Tensor], half: str) -> int:
    """Compare what the parts of a half have computed for the last of its texts; return how many.

    What a decoder makes of the memory, keys and values, stands among what the encoder has computed.
    """
    ids = texts[-1 if half == "decoder" else 0][0]
    with torch.no_grad(), recorded(model) as found, recorded_weights(model) as weights:
        model(*texts)
    compared = 0
    for name, numbers in trace.items():
        if name.endswith(".scores"):
            shown = weights[name.removesuffix(".scores")][0]  # (heads, queries, keys)
            for row, scores in enumerate(numbers):
                split = tensor(scores).view(len(shown), -1)
                keys = split.shape[1]
                torch.testing.assert_close(split.softmax(-1), shown[:, row, :keys], **CLOSE)
                assert not shown[:, row, keys:].any()  # masked
            compared += 1
        elif (expected := expected_of(model, name, ids, found)) is not None:
            shown = tensor(numbers).view(len(ids), -1)
            torch.testing.assert_close(shown, expected.detach().view(len(ids), -1), **CLOSE)
            compared += 1
    return compared


def joined(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Put the rows of the steps of a decoder together."""
    return {name: [*chain.from_iterable(step[name] for step in steps)] for name in steps[0]}


@pytest.mark.parametrize("values", [{}, *OTHER_KINDS], ids=str)
def test_every_part_shows_what_pytorch_computes(
    context: BrowserContext, values: dict[str, Any]
) -> None:
    translator = small_translator(**values)
    [answer, _] = asked(context, typed_model(translator, None), [TEXT], 4, traced=True)
    model = translator.model
    source, target = (
        torch.tensor([translator.source(TEXT)]),
        torch.tensor([[START, *answer["ids"][:-1]]]),
    )
    for half, trace in (
        ("encoder", answer["trace"]["source"]),
        ("decoder", joined(answer["trace"]["steps"])),
    ):
        compared = check_trace(trace, model, [source, target], half)
        layers = getattr(model, half).layers
        # Of each layer: norms with their inputs, attentions with values, heads and scores, neurons.
        assert compared >= len(layers) * (9 if half == "encoder" else 15)


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
def test_half_a_machine_shows_what_pytorch_computes(context: BrowserContext, kind: str) -> None:
    if kind == "decoder":
        typed = small_typed(words=True)
        [answer] = asked(context, typed, ["the cat sat"], 0, traced=True)
        ids = torch.tensor(typed.vocabulary.encode("the") + answer["ids"][:-1])
        trace = joined(answer["trace"]["steps"])
    else:
        words = ["[pad]", "[mask]", *WORDS[3:]]
        typed = typed_model(
            EncoderOnly(ModelConfig(len(words), **SIZES), generator=seeded(1)), words
        )
        [answer] = asked(context, typed, ["the [mask] sat"], 0, traced=True)
        ids = torch.tensor(typed.vocabulary.encode("the [mask] sat"))
        trace = answer["trace"]["source"]
    assert check_trace(trace, typed.model, [ids[None]], kind) >= 18


@pytest.mark.parametrize("off", OFF, ids=str)
def test_what_is_taken_away_changes_what_pytorch_writes(
    context: BrowserContext, off: list[str]
) -> None:
    translator = small_translator()
    model = translator.model
    change = {"off": off, "swaps": []}
    posted = asked(context, typed_model(translator, None), [TEXT], 4, change=change)
    answer = posted[-1]
    source = torch.tensor([translator.source(TEXT)])
    with torch.no_grad(), without(model, off):
        ids = written(model, source, model.encode(source))
        assert answer["ids"] == ids[1:]
        with recorded_weights(model) as weights:
            logits = model(source, torch.tensor([ids[:-1]]))
    if "mask" in off:  # where later pieces are seen, only the last step has read them all
        answer["steps"], logits = answer["steps"][-1:], logits[:, -1:]
    else:
        crosses = [weights[name] for name in weights if "cross_attention" in name]
        check_maps(answer, "cross", crosses)
    check_steps(answer, logits[0].softmax(-1))
    before = posted[0]
    assert torch.tensor(before["steps"][0]["logits"]).shape == logits.shape[-1:]


def test_every_switch_changes_something(context: BrowserContext) -> None:
    """Else a switch that does nothing would agree with PyTorch as well."""
    typed = typed_model(small_translator(), None)
    for off in OFF:
        change = {"off": off, "swaps": []}
        before, _, after = asked(context, typed, [TEXT], 4, change=change)
        was, now = (torch.tensor(answer["steps"][1]["logits"]) for answer in (before, after))
        assert not torch.allclose(was, now, atol=1e-3), off


@pytest.mark.parametrize("shipped", [False, True])
def test_a_swapped_row_changes_what_pytorch_writes(context: BrowserContext, shipped: bool) -> None:
    translator = Translator.shipped() if shipped else small_translator()
    text, other = ("Where is the station?", "The house is white.") if shipped else (TEXT, OTHER)
    row, start = (3, 1) if shipped else (1, 2)
    change = {"off": [], "swaps": [{"row": row, "text": other, "from": start}]}
    typed = typed_model(translator, None)
    answer = asked(context, typed, [text], 4, int8=shipped, change=change, traced=True)[-1]
    model = translator.model
    source, given = (torch.tensor([translator.source(one)]) for one in (text, other))
    with torch.no_grad():
        memory = model.encode(source)
        memory[0, row] = model.encode(given)[0, start]
        ids = written(model, source, memory)
        logits = model.decode(torch.tensor([ids[:-1]]), memory, source)
    assert answer["ids"] == ids[1:]
    check_steps(answer, logits[0].softmax(-1))
    shown = tensor(answer["trace"]["source"]["memory"]).view(memory.shape)
    torch.testing.assert_close(shown, memory, atol=1e-3 if shipped else 2e-5, rtol=1e-3)
    if shipped:
        assert answer["text"] == "Où est la maison ?"
