"""What an answer is called with, and what comes back: all that crosses to where it runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor


@dataclass(frozen=True)
class LanguageModel:
    """A next-token model that is a table, for exercises in decoding: called like a trained one.

    Attributes:
        table: logits ``(vocab, vocab, vocab)``: by the last token but one, the last, and the next.
    """

    table: Tensor

    def __call__(self, tokens: Tensor) -> Tensor:
        """Return the logits ``(batch, vocab)`` of what follows ``tokens (batch, tokens)``.

        Raises:
            ValueError: the tokens have another shape, or there are none.
        """
        if tokens.dim() != 2 or tokens.shape[1] == 0:
            raise ValueError(
                f"the model was given tokens of shape {tuple(tokens.shape)}; "
                "expected (batch, tokens), with at least one token"
            )
        return self.table[tokens[:, max(tokens.shape[1] - 2, 0)], tokens[:, -1]]


Value = Tensor | LanguageModel | int | float | bool | str | list | None


def unshared(value: Value) -> Value:
    """A copy for one call, wherever an answer is called: it shares nothing, equal numbers neither.

    ``deepcopy`` keeps numbers as they are, and whoever compares them by ``is`` is right by chance.
    """
    # A leaf that needs a gradient refuses in-place writes with an obscure error; its copy does not.
    if isinstance(value, LanguageModel):
        return LanguageModel(value.table.clone())
    copy: Value = value.clone() if isinstance(value, Tensor) else json.loads(json.dumps(value))
    return copy


@dataclass(frozen=True)
class Build:
    """How an ``nn.Module`` is made before it is called.

    Attributes:
        config: what its constructor takes, by name.
        weights: what its parameters hold, by name: all of them, and no others.
        training: whether it is called in training mode.
    """

    config: Mapping[str, Value]
    weights: Mapping[str, Tensor]
    training: bool = False


@dataclass(frozen=True, eq=False)  # a case equals itself alone
class Case:
    """One call of the answer.

    Attributes:
        label: what is special about it, in words that a learner reads.
        inputs: arguments by name, in the order in which the answer takes them.
        gradients: whether the gradients of all results together with respect to every
            floating-point input, and to every parameter of a module, are compared too.
        build: where the answer is a class, how to make the module that is called.
        most_numbers: how many numbers the call may hold at once, beside its inputs; None: any.
        most_products: how many multiplications it may make; None: any.
        least_products: how many it must make, where there are ``most_products``.
    """

    label: str
    inputs: Mapping[str, Value]
    gradients: bool = False
    build: Build | None = None
    most_numbers: int | None = None
    most_products: int | None = None
    least_products: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came back from one call: plain arrays, or the reason why there are none.

    Attributes:
        values: what was returned, by name, and ``"gradient of …"`` where a case asks for it.
        error: one line that says what the answer raised, and where; empty if nothing. After a
            time-out, where it was.
        unanswered: the answer is still the empty stub, or returned nothing.
        unsteady: called once more with the same inputs, the answer gave another result.
        timed_out: the answer gave nothing within the time limit.
        changed: names of the inputs that the answer wrote into.
        shortcuts: forbidden operations that the answer called.
        too_much: what the answer did beyond a limit of its case, in words that follow its name;
            empty if nothing.
        leaves: which setting of PyTorch's the answer left changed, in words that follow its name;
            empty if none.
    """

    values: dict[str, Tensor] = field(default_factory=dict)
    error: str = ""
    unanswered: bool = False
    unsteady: bool = False
    timed_out: bool = False
    changed: tuple[str, ...] = ()
    shortcuts: tuple[str, ...] = ()
    too_much: str = ""
    leaves: str = ""

    @property
    def answered(self) -> bool:
        """Whether there are values to compare."""
        return bool(self.values) and not (self.error or self.unanswered or self.timed_out)

    @property
    def settles(self) -> bool:
        """Whether no further case could change the verdict."""
        return self.unanswered or self.timed_out
