"""What a translation costs: seconds by stage, bytes by kind, and the operators that take longest.

Everything here is measured on a model that runs; nothing is estimated from its sizes.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.cache import CachedKeys, KeyValueCache
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import translation
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END
from transformer_lesson.validation import arguments

STAGES = ("tokenizing", "encoder", "decoder", "search", "detokenizing")


def stage_times(
    translator: Translator, texts: Sequence[str], *, beam_width: int = 1, cached: bool = True
) -> dict[str, float]:
    """Translate ``texts`` as ``Translator.translate`` does, and time its stages.

    Args:
        translator: whose model is timed on the device that it is on.
        texts: English sentences.
        beam_width: 1 is greedy.
        cached: whether keys and values of earlier tokens are kept.

    Returns:
        Seconds of each of ``STAGES``; search is what the others leave: choosing, sorting,
        reordering the cache, batching. ``total`` is their sum. ``tokens`` counts those of the
        translations, end tokens included, ``steps`` the calls of the decoder, and ``rows`` what it
        was given in all of them: the beams of all sentences that were not done; greedily a row of
        each sentence, padding after the end token included.

    Raises:
        ValueError: see ``Translator.translate``.
    """
    model, vocabulary = translator.model, translator.vocabulary
    clock = _Clock(model.embedding.weight.device)
    with (
        clock.timing(vocabulary, "encode", "tokenizing"),
        clock.timing(model, "encode", "encoder"),
        clock.timing(model, "decode", "decoder"),
        clock.timing(vocabulary, "decode", "detokenizing"),
    ):
        start = clock.now()
        translator.translate(texts, beam_width=beam_width, cached=cached)
        total = clock.now() - start
    clock.seconds["search"] = total - sum(clock.seconds.values())
    written = [[*ids, END] for ids in clock.given["detokenizing"]]
    read = clock.given["decoder"]
    counts = {"steps": len(read), "rows": sum(map(len, read))}
    tokens = sum(min(ids.index(END) + 1, len(ids) - 1) for ids in written)
    return clock.seconds | {"total": total, "tokens": tokens} | counts


class _Clock:
    """Add up the seconds that methods take, and keep what they are given first."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.given: dict[str, list[Any]] = {stage: [] for stage in STAGES}

    def now(self) -> float:
        """Seconds on a clock that never goes back, once the device has done what it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    @contextmanager
    def timing(self, owner: Any, name: str, stage: str) -> Iterator[None]:
        """Count the time of calls to ``owner.name`` for ``stage`` while the context is open."""
        method = getattr(owner, name)

        def timed(first: Any, *more: Any) -> Any:
            start = self.now()
            result = method(first, *more)
            self.seconds[stage] += self.now() - start
            self.given[stage].append(first)
            return result

        with patch.object(owner, name, timed):
            yield


def training_memory(model: EncoderDecoder, *, rows: int, tokens: int) -> dict[str, int]:
    """Take one training step on a copy of ``model`` and count what is there at its fullest.

    Activations are what PyTorch's hooks for saved tensors see: each storage once.

    Args:
        model: stays as it is.
        rows: sentences of the batch.
        tokens: of each source and of each target.

    Returns:
        Bytes of ``weights``, of ``gradients``, of the ``optimizer`` (Adam's running means of the
        gradient and of its square) and of ``activations``, which the forward pass keeps for the
        backward pass.
    """
    ids = random_ids(model, rows, tokens)
    model = deepcopy(model).train()
    optimizer = torch.optim.Adam(model.parameters())
    own = {weight.untyped_storage().data_ptr() for weight in model.state_dict().values()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    objective = translation(padding_id=model.config.padding_id, label_smoothing=0.1)
    with torch.random.fork_rng(), torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        loss, _ = objective(model, (ids, ids))
    loss.backward()
    optimizer.step()
    states = (value for state in optimizer.state.values() for value in state.values())
    return {
        "weights": _bytes(model.parameters()),
        "gradients": _bytes(p.grad for p in model.parameters() if p.grad is not None),
        "optimizer": _bytes(value for value in states if isinstance(value, Tensor)),
        "activations": sum(kept.values()),
    }


@torch.no_grad()
def decoding_memory(model: EncoderDecoder, *, rows: int, tokens: int) -> dict[str, int]:
    """Decode token by token with the cache, and count what it holds at the last step.

    Args:
        rows: sentences times beam width: every beam has a row of its own.
        tokens: of each source, and of each text that the decoder reads.

    Returns:
        Bytes of ``weights``, of the ``encoder_output``, of the keys and values of
        ``self_attention`` and of ``cross_attention``, and of the room ``reserved`` in the cache and
        not used yet: it grows by doubling.

    Raises:
        ValueError: a size is below 1, or beyond the positions of the model.
    """
    arguments.check_sizes(rows=rows, tokens=tokens)
    model.eval()
    ids = random_ids(model, rows, tokens)
    memory, cache = model.encode(ids), KeyValueCache(model.config.num_layers)
    for position in range(tokens):
        model.decode(ids[:, position : position + 1], memory, ids, cache)
    own = [held for layer in cache.layers for held in _held(layer.self_attention)]
    across = [held for layer in cache.layers for held in _held(layer.cross_attention)]
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in own + across}
    return {
        "weights": _bytes(model.parameters()),
        "encoder_output": memory.nbytes,
        "self_attention": _bytes(own),
        "cross_attention": _bytes(across),
        "reserved": sum(storages.values()) - _bytes(own + across),
    }


def random_ids(model: EncoderDecoder, rows: int, tokens: int) -> Tensor:
    """Return ids ``(rows, tokens)`` without padding, always the same: their values cost nothing."""
    low = (model.config.padding_id or 0) + 1
    ids = torch.randint(low, model.config.vocab_size, (rows, tokens), generator=seeded(0))
    return ids.to(model.embedding.weight.device)


def top_operators(work: Callable[[], Any]) -> str:
    """Run ``work`` once under ``torch.profiler``; return its table of the ten longest operators.

    They are sorted by the time in themselves, on the GPU where there is one. Python between
    operators is in none of them.
    """
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # otherwise it writes to stderr as it starts
    with torch.profiler.profile(acc_events=True) as profiler:
        work()
    kind = "device" if torch.cuda.is_available() else "cpu"
    events = profiler.key_averages()
    return events.table(f"self_{kind}_time_total", row_limit=10, max_name_column_width=40)


def _held(keys: CachedKeys) -> tuple[Tensor, Tensor]:
    return keys.key, keys.value


def _bytes(tensors: Iterable[Tensor]) -> int:
    return sum(tensor.nbytes for tensor in tensors)
