"""Batches of about the same number of tokens, with little padding."""

from collections.abc import Sequence
from random import Random

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from transformer_lesson.validation import arguments, token_ids

Ids = list[int]


class TokenBatches:
    """Endless batches of examples of similar length; a call with a number returns that batch.

    A batch is a pure function of its number: a run that was interrupted, or that shares its work
    with other processes, asks for the numbers that are left. Each epoch goes through all examples
    once, in an order of its own.

    Args:
        examples: lists of ids, or tuples of such lists (source, target).
        batch_tokens: most tokens of a batch: rows times the longest list in it, padding included.
        padding_id: what shorter rows are filled with.
        seed: decides the order.

    Attributes:
        per_epoch: number of batches in which all examples come once.
        padding_share: share of padding among all ids of an epoch, from 0 to 1.

    Raises:
        TypeError: the ids are not integers.
        ValueError: an example is empty, longer than ``batch_tokens`` or of another number of texts,
            or all examples together do not fill one batch.
    """

    def __init__(
        self,
        examples: Sequence[Ids] | Sequence[tuple[Ids, ...]],
        batch_tokens: int,
        *,
        padding_id: int = 0,
        seed: int = 0,
    ) -> None:
        self._alone = not any(isinstance(example, tuple) for example in examples)
        rows = [example if isinstance(example, tuple) else (example,) for example in examples]
        _check(rows, batch_tokens)
        self._rows = [tuple(torch.tensor(ids) for ids in row) for row in rows]
        every_id = torch.cat([ids for row in self._rows for ids in row])
        token_ids.check_ids(every_id[None], padding_id)
        self._padding_id = padding_id
        self._seed = seed
        # By target, then by source, so that lengths are alike on both sides of a batch.
        self._lengths = [tuple(len(ids) for ids in reversed(row)) for row in rows]
        ordered = sorted(self._lengths)
        self._cuts = _cut(ordered, batch_tokens)
        self.per_epoch = len(self._cuts)
        together = (ordered[cut] for cut in self._cuts)
        padded = sum(len(some) * sum(map(max, zip(*some, strict=True))) for some in together)
        self.padding_share = 1 - len(every_id) / padded
        self._epoch = -1
        self._order: list[int] = []
        self._turns: list[slice] = []

    def __call__(self, number: int) -> Tensor | tuple[Tensor, ...]:
        """Return batch ``number``: ids ``(rows, tokens)``, or a tuple of such tensors."""
        epoch, turn = divmod(number, self.per_epoch)
        if epoch != self._epoch:
            self._shuffle(epoch)
        chosen = [self._rows[index] for index in self._order[self._turns[turn]]]
        padded = tuple(
            pad_sequence(list(column), batch_first=True, padding_value=self._padding_id)
            for column in zip(*chosen, strict=True)
        )
        return padded[0] if self._alone else padded

    def check_vocabulary(self, vocab_size: int, source_vocab_size: int | None = None) -> None:
        """Check all ids of all batches at once, so that no step needs to.

        Args:
            vocab_size: of the last text of an example.
            source_vocab_size: of the texts before it, if they have another vocabulary.

        Raises:
            ValueError: an id is not among the ids 0 to ``vocab_size - 1``.
        """
        *sources, targets = map(torch.cat, zip(*self._rows, strict=True))
        token_ids.check_tokens(targets[None], vocab_size)
        for source in sources:
            token_ids.check_tokens(source[None], source_vocab_size or vocab_size)

    def _shuffle(self, epoch: int) -> None:
        """Draw which examples of equal length share a batch, and the order of the batches."""
        random = Random(f"{self._seed} {epoch}")
        order = list(range(len(self._rows)))
        random.shuffle(order)
        self._order = sorted(order, key=self._lengths.__getitem__)
        self._turns = random.sample(self._cuts, len(self._cuts))
        self._epoch = epoch


def _check(rows: Sequence[tuple[Ids, ...]], batch_tokens: int) -> None:
    if not rows:
        raise ValueError("there are no examples; expected at least one.")
    arguments.check_sizes(batch_tokens=batch_tokens)
    longest = 0
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"example {index} holds {len(row)} texts and example 0 {len(rows[0])}; "
                "expected as many in each."
            )
        lengths = [len(ids) for ids in row]
        if not all(lengths):
            raise ValueError(f"example {index} is empty; leave it out, or give it an end token.")
        longest = max(longest, *lengths)
        if longest > batch_tokens:
            raise ValueError(
                f"example {index} has {longest} tokens, more than a batch of "
                f"batch_tokens={batch_tokens} holds. Cut it, leave it out, or allow larger batches."
            )
    if len(rows) * longest < batch_tokens:
        raise ValueError(
            f"all {len(rows)} examples fit into {len(rows) * longest} tokens, less than a batch of "
            f"batch_tokens={batch_tokens}: every step would see the same. Give more examples, or "
            "smaller batches."
        )


def _cut(lengths: Sequence[tuple[int, ...]], batch_tokens: int) -> list[slice]:
    """Cut the sorted examples into batches. Only lengths matter, so each epoch is cut alike."""
    cuts, start, longest = [], 0, 0
    for index, row in enumerate(lengths):
        longest = max(longest, *row)
        if (index + 1 - start) * longest > batch_tokens:
            cuts.append(slice(start, index))
            start, longest = index, max(row)
    return [*cuts, slice(start, len(lengths))]
