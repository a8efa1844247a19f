"""Write text, token by token: greedy, by sampling, or by beam search (lesson 06).

All three start from a prompt and stop at ``end_id`` or at ``max_tokens``. With ``cached=True`` each
step reads the new token alone; without, the whole text again. The tokens are the same.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson.cache import KeyValueCache
from transformer_lesson.models import DecoderOnly, EncoderDecoder, unwrapped
from transformer_lesson.validation import arguments, token_ids

Model = DecoderOnly | EncoderDecoder


@torch.no_grad()
def greedy(
    model: Model,
    prompt: Tensor,
    *,
    source: Tensor | None = None,
    max_tokens: int,
    end_id: int | None = None,
    cached: bool = True,
) -> Tensor:
    """Take the most probable token at each step.

    Args:
        model: in evaluation mode, or its dropout chooses too. Of a compiled one, or one in
            ``DataParallel``, the model inside writes.
        prompt: ids ``(batch, tokens)`` to go on from; for an encoder-decoder the start token.
            Shorter prompts have padding on their left, and the model a ``padding_id``.
        source: ids ``(batch, source tokens)``, for an encoder-decoder.
        max_tokens: length of the whole text, the prompt included.
        end_id: token after which a text is finished; None: all go on to ``max_tokens``.
        cached: whether keys and values of earlier tokens are kept.

    Returns:
        Ids ``(batch, at most max_tokens)``, the prompt included; padding after the end token.

    Raises:
        ValueError: the prompt is empty, longer than ``max_tokens``, ends in padding, ``source`` is
            missing, or the model gives NaN.
    """
    reader = Reader(model, prompt, source, max_tokens, end_id, cached)
    return _write(reader, prompt, max_tokens, end_id, lambda logits: logits.argmax(-1))


@torch.no_grad()
def sample(
    model: Model,
    prompt: Tensor,
    *,
    source: Tensor | None = None,
    max_tokens: int,
    end_id: int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    generator: torch.Generator | None = None,
    cached: bool = True,
) -> Tensor:
    """Draw each token from what the model thinks probable.

    What is not named here, the result too, is as in ``greedy``.

    Args:
        temperature, top_k, top_p, min_p: which tokens may be drawn; see ``likely``.
        generator: source of the draws, on the model's device.

    Raises:
        ValueError: an argument is out of range, see ``greedy`` and ``likely``.
    """
    reader = Reader(model, prompt, source, max_tokens, end_id, cached)

    def draw(logits: Tensor) -> Tensor:
        allowed = likely(logits, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
        probability = allowed.softmax(-1).nan_to_num(1.0)  # the reader will name what was NaN
        return torch.multinomial(probability, 1, generator=generator).squeeze(-1)

    return _write(reader, prompt, max_tokens, end_id, draw)


def likely(
    logits: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> Tensor:
    """Divide logits ``(..., vocab_size)`` by the temperature; set those not to be drawn to -inf.

    Near a temperature of 0 the draw is greedy. ``top_k`` counts tokens; ``top_p`` keeps the fewest
    whose probabilities reach it, at least one (Holtzman et al. 2020); ``min_p`` keeps those with at
    least that share of the highest probability (Nguyen et al. 2025). Each acts on what those before
    it have left, and the temperature acts before all.

    Raises:
        ValueError: the temperature is not positive, ``top_k`` below 1, ``top_p`` or ``min_p`` not
            in (0, 1].
    """
    arguments.check_sampling(temperature, top_k, top_p, min_p)
    logits = logits / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        least = logits.topk(top_k).values[..., -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    if top_p is not None:
        ordered, order = logits.sort(dim=-1, descending=True)
        probability = ordered.softmax(-1)
        # A token stays if those before it do not reach top_p without it.
        beyond = probability.cumsum(-1) - probability >= top_p
        logits = logits.masked_fill(beyond.gather(-1, order.argsort(-1)), -torch.inf)
    if min_p is not None:
        least = logits.amax(-1, keepdim=True) + math.log(min_p)
        logits = logits.masked_fill(logits < least, -torch.inf)
    return logits


class Reader:
    """A model that has read some text and says what may follow, with a cache or without."""

    def __init__(
        self,
        model: Model,
        prompt: Tensor,
        source: Tensor | None,
        max_tokens: int,
        end_id: int | None,
        cached: bool,
    ) -> None:
        inner = unwrapped(model)
        if not isinstance(inner, Model):
            raise TypeError(
                f"{type(model).__name__} writes no text; "
                "expected a DecoderOnly or an EncoderDecoder."
            )
        config = inner.config
        arguments.check_flags(cached=cached)
        token_ids.check_prompt(prompt, max_tokens, config.vocab_size, end_id, config.padding_id)
        self.model: Model = inner
        self.source = source
        self.memory: Tensor | None = None
        if isinstance(inner, EncoderDecoder):
            source_vocab_size = config.source_vocab_size or config.vocab_size
            token_ids.check_source(source, len(prompt), source_vocab_size)
            assert source is not None
            self.memory = inner.encode(source)
        elif source is not None:
            raise ValueError("a DecoderOnly reads no source; put the text into the prompt.")
        self.padding_id = config.padding_id or 0
        self.nan_after: Tensor | None = None  # the fewest tokens after which a logit was NaN
        self.cache = KeyValueCache(config.num_layers, config.windows) if cached else None

    def __call__(self, tokens: Tensor) -> Tensor:
        """Return the logits ``(rows, vocab_size)`` of what follows ``tokens (rows, length)``.

        Raises:
            ValueError: some are NaN at the first step; ``check`` asks for the others.
        """
        new = tokens if self.cache is None else tokens[:, self.cache.length :]
        if isinstance(self.model, DecoderOnly):
            logits = self.model(new, self.cache)[:, -1]
        else:
            assert self.memory is not None and self.source is not None
            logits = self.model.decode(new, self.memory, self.source, self.cache)[:, -1]
        first = self.nan_after is None
        if self.nan_after is None:
            self.nan_after = torch.full((), math.inf, device=logits.device)
        # The largest is NaN if any is, and found many times faster than logits.isnan().any().
        here = torch.where(logits.amax().isnan(), tokens.shape[1], math.inf)
        self.nan_after = self.nan_after.minimum(here)
        if first:
            self.check()
        return logits

    def check(self) -> None:
        """Raise if logits were NaN. At each step the question would make a GPU wait for the CPU, so
        it is asked at the first and at the end."""
        if self.nan_after is not None and self.nan_after < math.inf:
            raise ValueError(
                f"the model gave NaN for what follows {int(self.nan_after)} tokens, so there is no "
                "most probable one. Look for the first NaN: in its weights, or in a training that "
                "diverged."
            )

    def reorder(self, rows: Tensor, *, sources: bool) -> None:
        """Let row ``i`` go on from what row ``rows[i]`` has read.

        ``sources`` says whether that may be another source than row ``i`` has read so far.
        """
        if self.cache is not None:
            self.cache.reorder(rows, sources=sources)
        if sources and self.memory is not None and self.source is not None:
            self.memory, self.source = self.memory[rows], self.source[rows]


def _write(
    reader: Reader,
    prompt: Tensor,
    max_tokens: int,
    end_id: int | None,
    choose: Callable[[Tensor], Tensor],
) -> Tensor:
    tokens = prompt
    finished = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    # Whether all have finished is the one thing that the CPU asks of a GPU at each step.
    while tokens.shape[1] < max_tokens and (end_id is None or not finished.all()):
        chosen = choose(reader(tokens)).masked_fill(finished, reader.padding_id)
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        if end_id is not None:
            finished |= chosen == end_id
    reader.check()
    return tokens


@torch.no_grad()
def beam_search(
    model: Model,
    prompt: Tensor,
    *,
    source: Tensor | None = None,
    beam_width: int,
    max_tokens: int,
    end_id: int,
    length_penalty: float = 0.6,
    cached: bool = True,
) -> tuple[Tensor, Tensor]:
    """Keep the ``beam_width`` best beginnings at each step; return the best text that finished.

    A text's score is its log-probability divided by ``((5 + length) / 6) ** length_penalty``, with
    the length counted without the prompt (Wu et al. 2016, eq. 14). A text is finished by ``end_id``
    or at ``max_tokens``. The ``beam_width`` best finished texts are kept, and a sentence is done
    when no running text scores better than the worst of them.

    Args:
        model, prompt, source, max_tokens, cached: as in ``greedy``.
        beam_width: number of beginnings that are kept; 1 is greedy.
        end_id: token after which a text is finished.
        length_penalty: 0 prefers short texts, since each token costs probability.

    Returns:
        Ids ``(batch, max_tokens)``, the prompt included, with padding after the end token; and the
        scores ``(batch,)``.

    Raises:
        ValueError: ``beam_width`` is below 1, ``length_penalty`` negative, ``end_id`` None, or see
            ``greedy``.
    """
    arguments.check_beams(beam_width, length_penalty, end_id)
    reader = Reader(model, prompt, source, max_tokens, end_id, cached)
    beams = _Beams(prompt, beam_width, max_tokens, reader.padding_id)
    given = prompt.shape[1]
    for length in range(given + 1, max_tokens + 1):
        before = beams.total.shape
        logits = reader(beams.tokens)
        penalty = ((5 + length - given) / 6) ** length_penalty
        rows = beams.extend(logits, penalty, end_id, last=length == max_tokens)
        if not len(rows):
            break
        # At first each sentence has one row; and one that is done takes its rows away.
        reader.reorder(rows, sources=beams.total.shape != before)
    reader.check()
    return beams.best()


class _Beams:
    """The running and the finished texts of those sentences of a batch that are not done.

    Running texts are rows of ``tokens (sentences * beams, length)``; those of one sentence stand
    next to each other, the most probable first.
    """

    def __init__(self, prompt: Tensor, width: int, max_tokens: int, padding_id: int) -> None:
        batch, device = len(prompt), prompt.device
        self.width, self.padding_id = width, padding_id
        self.sentences = torch.arange(batch, device=device)
        self.tokens = prompt  # one beam each, since all would begin alike
        self.total = torch.zeros(batch, 1, device=device)
        self.finished = prompt.new_full((batch, width, max_tokens), padding_id)
        self.scores = torch.full((batch, width), -torch.inf, device=device)
        self.done: list[tuple[Tensor, Tensor, Tensor]] = []

    def extend(self, logits: Tensor, penalty: float, end_id: int, *, last: bool) -> Tensor:
        """Add one token to every running text; return the row that each continues."""
        batch, beams = self.total.shape
        # Each beam can end at most once, so twice the width always leaves enough that go on; and
        # no single row can contribute more than that.
        each = min(2 * self.width, logits.shape[-1])
        log_probability, tokens = logits.log_softmax(-1).topk(each)
        candidates = self.total[..., None] + log_probability.view(batch, beams, each)
        count = min(2 * self.width, beams * each)
        total, at = candidates.flatten(1).topk(count)
        rows = at // each + torch.arange(batch, device=at.device)[:, None] * beams
        chosen = tokens.view(batch, -1).gather(1, at)
        texts = torch.cat([self.tokens[rows], chosen[..., None]], dim=-1)
        ends = (chosen == end_id) | last
        scores = (total / penalty).masked_fill(~ends, -torch.inf)
        # A text that ends outside the beam is lost, like one that goes on outside it.
        self._finish(texts[:, : self.width], scores[:, : self.width])
        self.total, running = total.masked_fill(ends, -torch.inf).topk(min(self.width, count))
        self.tokens, rows = _pick(texts, running), rows.gather(1, running)
        rows = self._without_done(rows, self.scores[:, -1] < self.total[:, 0] / penalty)
        self.tokens = self.tokens.flatten(0, 1)
        return rows.flatten()

    def best(self) -> tuple[Tensor, Tensor]:
        """Return the best text of each sentence and its score, once all are done."""
        sentences, texts, scores = map(torch.cat, zip(*self.done, strict=True))
        order = sentences.argsort()
        return texts[order], scores[order]

    def _finish(self, texts: Tensor, scores: Tensor) -> None:
        """Let ``texts (sentences, count, length)`` compete with those that have finished."""
        room = self.finished.shape[-1] - texts.shape[-1]
        both = torch.cat([self.finished, F.pad(texts, (0, room), value=self.padding_id)], dim=1)
        self.scores, kept = torch.cat([self.scores, scores], dim=1).topk(self.width)
        self.finished = _pick(both, kept)

    def _without_done(self, rows: Tensor, goes_on: Tensor) -> Tensor:
        """Keep the best text of sentences that are done, and what the others have of ``rows``."""
        left = goes_on.nonzero().squeeze(1)  # the one thing that the CPU asks of a GPU at each step
        if len(left) == len(rows):
            return rows
        done = (~goes_on).nonzero().squeeze(1)
        self.done.append((self.sentences[done], self.finished[done, 0], self.scores[done, 0]))
        self.sentences, self.tokens, self.total = (
            part[left] for part in (self.sentences, self.tokens, self.total)
        )
        self.finished, self.scores = self.finished[left], self.scores[left]
        return rows[left]


def _pick(texts: Tensor, which: Tensor) -> Tensor:
    """Of ``texts (batch, count, length)`` those at ``which (batch, fewer)``."""
    return texts.gather(1, which[..., None].expand(-1, -1, texts.shape[-1]))
