"""tokens.tied_model: one matrix that reads words and writes them."""

import math

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Build, Case
from transformer_checks.checks.exercise import Check, Misconception


class _Reference(nn.Module):
    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    @property
    def rows(self) -> Tensor:
        return self.embedding.weight

    @property
    def scale(self) -> float:
        return math.sqrt(self.rows.shape[1])

    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] * self.scale + positions

    def write(self, hidden: Tensor) -> Tensor:
        return torch.einsum("btd,vd->btv", hidden, self.rows)

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.write(self.read(ids, positions))


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        shape: tuple[int, int],
        vocab_size: int,
        d_model: int,
        gradients: bool = False,
    ) -> Case:
        ids = torch.randint(vocab_size, shape, generator=generator)
        ids[-1, -1] = 0  # a word like any other: no padding
        inputs = {"ids": ids, "positions": draw(generator, shape[1], d_model)}
        weights = {"embedding.weight": draw(generator, vocab_size, d_model)}
        build = Build({"vocab_size": vocab_size, "d_model": d_model}, weights)
        return Case(label, inputs, gradients=gradients, build=build)

    return [
        case("2 tokens, vocabulary 3, d_model 2", tidy, (1, 2), 3, 2),
        case("3 tokens, vocabulary 5, d_model 3", tidy, (1, 3), 5, 3),
        case("batch 2, 4 tokens, vocabulary 7, d_model 6", normal, (2, 4), 7, 6),
        case("gradients", normal, (3, 2), 5, 4, gradients=True),
    ]


class _NotMultiplied(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] + positions


class _PositionsToo(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return (self.rows[ids] + positions) * self.scale


class _Divided(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] / self.scale + positions


class _NoRoot(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] * self.rows.shape[1] + positions


class _RootOfVocabulary(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] * math.sqrt(self.rows.shape[0]) + positions


class _PositionsMissing(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows[ids] * self.scale + 0.0 * positions


class _OutputMultiplied(_Reference):
    def write(self, hidden: Tensor) -> Tensor:
        return super().write(hidden) * self.scale


class _OutputDivided(_Reference):
    def write(self, hidden: Tensor) -> Tensor:
        return super().write(hidden) / self.scale


class _OutputDetached(_Reference):
    def write(self, hidden: Tensor) -> Tensor:
        return hidden @ self.rows.detach().T


class _InputDetached(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return self.rows.detach()[ids] * self.scale + positions


class _PaddingAssumed(_Reference):
    def read(self, ids: Tensor, positions: Tensor) -> Tensor:
        return F.embedding(ids, self.rows, padding_idx=0) * self.scale + positions


class _Probabilities(_Reference):
    def write(self, hidden: Tensor) -> Tensor:
        return super().write(hidden).softmax(-1)


class _HiddenReturned(_Reference):
    def write(self, hidden: Tensor) -> Tensor:
        return hidden


TIED_MODEL = Check(
    name="tokens.tied_model",
    lesson="01_tokens_and_embeddings",
    title="One matrix, two jobs",
    answer="TiedModel",
    returns=("logits",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=_Reference,
    slips=(
        Misconception(
            "not multiplied",
            _NotMultiplied,
            "the rows are not multiplied by √d_model",
            "Small rows are drowned by the positions (section 13).",
        ),
        Misconception(
            "positions multiplied too",
            _PositionsToo,
            "the positions are multiplied by √d_model as well",
            "First multiply, then add: the positions have their right size already.",
        ),
        Misconception(
            "divided by √d_model",
            _Divided,
            "the rows are divided by √d_model",
            "Attention divides its scores; an embedding is multiplied.",
        ),
        Misconception(
            "multiplied by d_model",
            _NoRoot,
            "the rows are multiplied by d_model, not by its root",
            "A spread of 1/√d_model should become 1.",
        ),
        Misconception(
            "root of the vocabulary",
            _RootOfVocabulary,
            "the rows are multiplied by √vocab_size",
            "Which width belongs under the root: the number of rows, or the length of one?",
        ),
        Misconception(
            "positions missing",
            _PositionsMissing,
            "the positions are not added",
            "What comes into the model is word + position.",
        ),
        Misconception(
            "output multiplied",
            _OutputMultiplied,
            "the logits are multiplied by √d_model too",
            "The factor belongs to the input alone; at the output the rows are used as they are.",
        ),
        Misconception(
            "output divided",
            _OutputDivided,
            "the logits are divided by √d_model",
            "A logit is the plain dot product of a hidden vector and a row.",
        ),
        Misconception(
            "no gradient by the output",
            _OutputDetached,
            "the numbers are right, but the matrix gets no gradient from its use at the output",
            "One parameter, two uses: leave out .detach(), .data and clones of the weight.",
        ),
        Misconception(
            "no gradient by the input",
            _InputDetached,
            "the numbers are right, but the matrix gets no gradient from its use at the input",
            "One parameter, two uses: leave out .detach(), .data and torch.tensor(…).",
        ),
        Misconception(
            "row 0 taken for padding",
            _PaddingAssumed,
            "the numbers are right, but row 0 gets no gradient from its use at the input",
            "Nothing here says that id 0 is padding: leave out padding_idx.",
        ),
        Misconception(
            "probabilities",
            _Probabilities,
            "these are probabilities: a softmax was applied",
            "Logits go into the loss as they are.",
        ),
        Misconception(
            "hidden vectors returned",
            _HiddenReturned,
            "the hidden vectors come back: (batch, tokens, d_model)",
            "One logit for each word of the vocabulary is missing.",
        ),
    ),
    hints=(
        "One `nn.Embedding` is all that __init__ makes. Its matrix is `self.embedding.weight`.",
        "Into the model: `self.embedding(ids) * math.sqrt(d_model) + positions`. `forward` can "
        "read d_model from the shape of the matrix.",
        "Out of it: the hidden vectors times the transpose of that same matrix.",
    ),
)
