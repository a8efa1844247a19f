"""What a translation costs: seconds by stage, bytes by kind, and the operators that take longest.

Everything here is measured on a model that runs; nothing is estimated from its sizes.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from transformer_lesson import seeded
from transformer_lesson.cache import CachedKeys, KeyValueCache
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import translation
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END
from transformer_lesson.validation import arguments

if TYPE_CHECKING:
    import pandas as pd

STAGES = ("tokenising", "encoder", "decoder", "search", "detokenising")


@dataclass(frozen=True)
class StageTimes:
    """Where the time of a translation went.

    Attributes:
        tokenising: seconds from text to ids.
        encoder: seconds in ``model.encode``.
        decoder: seconds in ``model.decode``, all steps.
        search: seconds of the rest: choosing, sorting, reordering the cache, batching.
        detokenising: seconds from ids to text.
        sentences: number of texts.
        tokens: number of tokens in the translations, their end tokens included.
        steps: number of times that the decoder was called.
        rows: rows that the decoder was given, all steps together: sentences times beam, padding
            after the end token included.
    """

    tokenising: float
    encoder: float
    decoder: float
    search: float
    detokenising: float
    sentences: int
    tokens: int
    steps: int
    rows: int

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(getattr(self, stage) for stage in STAGES)

    @property
    def per_token(self) -> dict[str, float]:
        """Milliseconds per token of the translations, by stage."""
        return {stage: 1000 * getattr(self, stage) / max(self.tokens, 1) for stage in STAGES}


def stage_times(
    translator: Translator,
    texts: Sequence[str],
    *,
    beam_width: int = 1,
    length_penalty: float = 0.6,
    cached: bool = True,
) -> StageTimes:
    """Translate ``texts`` as ``Translator.translate`` does, and time its stages.

    Args:
        translator: whose model is timed on the device that it is on.
        texts: English sentences.
        beam_width: 1 is greedy.
        length_penalty: see ``decoding.beam_search``.
        cached: whether keys and values of earlier tokens are kept.

    Raises:
        ValueError: see ``Translator.translate``.
    """
    model, vocabulary = translator.model, translator.vocabulary
    clock = _Clock(model.embedding.weight.device)
    with ExitStack() as timed:
        timed.enter_context(clock.timing(vocabulary, "encode", "tokenising"))
        timed.enter_context(clock.timing(model, "encode", "encoder"))
        timed.enter_context(clock.timing(model, "decode", "decoder", clock.count_rows))
        timed.enter_context(clock.timing(vocabulary, "decode", "detokenising", clock.count_tokens))
        start = clock.now()
        translator.translate(
            texts, beam_width=beam_width, length_penalty=length_penalty, cached=cached
        )
        total = clock.now() - start
    known = {stage: clock.seconds[stage] for stage in STAGES if stage != "search"}
    return StageTimes(
        **known,
        search=total - sum(known.values()),
        sentences=len(texts),
        tokens=clock.counts["tokens"],
        steps=clock.counts["steps"],
        rows=clock.counts["rows"],
    )


class _Clock:
    """Add up the seconds that methods take, and count what they are given."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.seconds: dict[str, float] = dict.fromkeys(STAGES, 0.0)
        self.counts: Counter[str] = Counter()

    def now(self) -> float:
        """Seconds on a clock that never goes back, once the device has done what it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    @contextmanager
    def timing(
        self,
        owner: Any,
        name: str,
        stage: str,
        count: Callable[[Any], None] | None = None,
    ) -> Iterator[None]:
        """Count the time of calls to ``owner.name`` for ``stage`` while the context is open."""
        method = getattr(owner, name)

        def timed(first: Any, *more: Any) -> Any:
            start = self.now()
            result = method(first, *more)
            self.seconds[stage] += self.now() - start
            if count:
                count(first)
            return result

        with patch.object(owner, name, timed):
            yield

    def count_rows(self, tokens: Tensor) -> None:
        """Note a step of the decoder with the rows of ``tokens``."""
        self.counts["steps"] += 1
        self.counts["rows"] += len(tokens)

    def count_tokens(self, ids: list[int]) -> None:
        """Note the tokens of one translation, up to its end."""
        self.counts["tokens"] += ids.index(END) + 1 if END in ids else len(ids)


def stage_table(
    translator: Translator,
    texts: Sequence[str],
    *,
    beam_widths: Iterable[int] = (1, 4),
    uncached: bool = True,
) -> "pd.DataFrame":
    """Return seconds by stage for several ways to search.

    Args:
        translator: what is timed.
        texts: English sentences.
        beam_widths: one row for each.
        uncached: whether each is timed without the cache, too.

    Returns:
        A row for each way; columns: the stages in seconds, ``total`` in seconds, ``tokens`` and
        ``ms per token``.
    """
    import pandas as pd

    rows = {}
    translator.translate(texts[:2])  # the first run is slower than those after it
    for width in beam_widths:
        for cached in (True, False) if uncached else (True,):
            found = stage_times(translator, texts, beam_width=width, cached=cached)
            name = ("greedy" if width == 1 else f"beam {width}") + ("" if cached else ", no cache")
            rows[name] = {stage: getattr(found, stage) for stage in STAGES} | {
                "total": found.total,
                "tokens": found.tokens,
                "ms per token": sum(found.per_token.values()),
            }
    return pd.DataFrame.from_dict(rows, orient="index")


@dataclass(frozen=True)
class TrainingMemory:
    """What one training step holds at its fullest, in bytes.

    Attributes:
        weights: of the model.
        gradients: one for each weight.
        optimizer: Adam's running means of the gradient and of its square.
        activations: what the forward pass keeps for the backward pass, weights not counted.
    """

    weights: int
    gradients: int
    optimizer: int
    activations: int


def training_memory(model: EncoderDecoder, source: Tensor, target: Tensor) -> TrainingMemory:
    """Take one training step on a copy of ``model`` and count what is there.

    Activations are what PyTorch's hooks for saved tensors see: each storage once.

    Args:
        model: stays as it is.
        source: ids ``(batch, source tokens)``.
        target: ids ``(batch, target tokens)``, from the start to the end token.
    """
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
        loss, _ = objective(model, (source, target))
    loss.backward()
    optimizer.step()
    return TrainingMemory(
        weights=_bytes(model.parameters()),
        gradients=_bytes(p.grad for p in model.parameters() if p.grad is not None),
        optimizer=_bytes(
            value
            for state in optimizer.state.values()
            for value in state.values()
            if isinstance(value, Tensor)
        ),
        activations=sum(kept.values()),
    )


@dataclass(frozen=True)
class DecodingMemory:
    """What decoding holds at its last step, in bytes.

    Attributes:
        weights: of the model.
        encoder_output: what the decoder looks at, once for each row.
        self_attention: keys and values of the tokens written.
        cross_attention: keys and values of the source.
        reserved: space in the cache that is not used yet: it grows by doubling.
    """

    weights: int
    encoder_output: int
    self_attention: int
    cross_attention: int
    reserved: int


@torch.no_grad()
def decoding_memory(
    model: EncoderDecoder, *, source_tokens: int, target_tokens: int, rows: int
) -> DecodingMemory:
    """Decode token by token with the cache, and count what it holds.

    Args:
        model: what is decoded with.
        source_tokens: length of the sources.
        target_tokens: number of tokens that are read by the decoder.
        rows: sentences times beam width: every beam has a row of its own.

    Raises:
        ValueError: a size is below 1, or beyond the positions of the model.
    """
    arguments.check_sizes(source_tokens=source_tokens, target_tokens=target_tokens, rows=rows)
    model.eval()
    source = random_ids(model, rows, source_tokens)
    target = random_ids(model, rows, target_tokens)
    memory, cache = model.encode(source), KeyValueCache(model.config.num_layers)
    for position in range(target_tokens):
        model.decode(target[:, position : position + 1], memory, source, cache)
    own = _held(layer.self_attention for layer in cache.layers)
    across = _held(layer.cross_attention for layer in cache.layers)
    used = _bytes(own), _bytes(across)
    return DecodingMemory(
        weights=_bytes(model.parameters()),
        encoder_output=_bytes([memory]),
        self_attention=used[0],
        cross_attention=used[1],
        reserved=_storage(own + across) - sum(used),
    )


def random_ids(model: EncoderDecoder, rows: int, tokens: int) -> Tensor:
    """Return ids ``(rows, tokens)`` without padding, always the same: their values cost nothing."""
    low = (model.config.padding_id or 0) + 1
    ids = torch.randint(low, model.config.vocab_size, (rows, tokens), generator=seeded(0))
    return ids.to(model.embedding.weight.device)


def training_memory_table(
    model: EncoderDecoder,
    *,
    lengths: Iterable[int] = (16, 32, 64),
    batches: Iterable[int] = (8, 32),
) -> "pd.DataFrame":
    """Return bytes by kind for each length (tokens of source and target) and batch (sentences)."""
    import pandas as pd

    rows = []
    for batch in batches:
        for length in lengths:
            ids = random_ids(model, batch, length)
            found = training_memory(model, ids, ids)
            rows.append({"batch": batch, "length": length, **asdict(found)})
    return pd.DataFrame(rows)


def decoding_memory_table(
    model: EncoderDecoder,
    *,
    lengths: Iterable[int] = (16, 32, 64),
    batch: int = 32,
    beam_widths: Iterable[int] = (1, 4),
) -> "pd.DataFrame":
    """Return bytes by kind for each length (tokens of source and target) and beam width."""
    import pandas as pd

    rows = []
    for width in beam_widths:
        for length in lengths:
            found = decoding_memory(
                model, source_tokens=length, target_tokens=length, rows=batch * width
            )
            rows.append({"batch": batch, "beam": width, "length": length, **asdict(found)})
    return pd.DataFrame(rows)


def top_operators(work: Callable[[], Any], most: int = 10) -> "pd.DataFrame":
    """Run ``work`` under ``torch.profiler`` and return the operators that take longest.

    Args:
        work: what is run once.
        most: number of operators.

    Returns:
        A row for each operator: ``calls``, ``ms`` spent in itself (on the GPU where there is one)
        and its ``share`` of the sum over all operators, from 0 to 1. Python between operators is
        in none of them.
    """
    import pandas as pd

    os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # otherwise it writes to stderr as it starts
    on_gpu = torch.cuda.is_available()
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
    with profile(activities=activities, acc_events=True) as profiler:
        work()
    events = profiler.key_averages()
    kind = "self_device_time_total" if on_gpu else "self_cpu_time_total"
    times = sorted(((getattr(event, kind), event) for event in events), key=lambda pair: -pair[0])
    total = sum(microseconds for microseconds, _ in times)
    rows = {
        event.key: {"calls": event.count, "ms": spent / 1000, "share": spent / max(total, 1)}
        for spent, event in times[:most]
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def _held(caches: Iterable[CachedKeys]) -> list[Tensor]:
    return [tensor for cache in caches for tensor in (cache.key, cache.value)]


def _bytes(tensors: Iterable[Tensor | nn.Parameter]) -> int:
    return sum(tensor.nbytes for tensor in tensors)


def _storage(tensors: Iterable[Tensor]) -> int:
    """Bytes of the storages behind the tensors, each once."""
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(storages.values())
