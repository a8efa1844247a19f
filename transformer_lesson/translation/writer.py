"""A model that writes English, with its vocabulary; and the one that comes with the course."""

from pathlib import Path

import torch

from transformer_lesson.decoding import sample
from transformer_lesson.models import DecoderOnly
from transformer_lesson.translation.stored import check_fit, load_folder
from transformer_lesson.translation.typed import as_read
from transformer_lesson.translation.vocabulary import END, Vocabulary

SHIPPED = Path(__file__).parent / "data" / "writer"  # its README.md is the model card


class Writer:
    """A ``DecoderOnly`` that was trained on sentences, and the vocabulary that cut them.

    Raises:
        ValueError: the two do not fit together.
    """

    def __init__(self, model: DecoderOnly, vocabulary: Vocabulary) -> None:
        check_fit(model, vocabulary)
        self.model, self.vocabulary = model, vocabulary

    def write(
        self,
        beginning: str = "",
        *,
        texts: int = 1,
        temperature: float = 0.7,
        generator: torch.Generator | None = None,
    ) -> list[str]:
        """Go on from ``beginning`` to the end of a sentence, in so many ``texts``.

        Args:
            beginning: of each text; the model's own if it is empty.
            texts: number of texts.
            temperature, generator: of the draws; see ``decoding.sample``.

        Returns:
            The texts, each with its beginning; one that does not end stops at the model's
            ``max_tokens`` pieces.

        Raises:
            ValueError: the beginning leaves no room, or an argument is out of range.
        """
        read = as_read(beginning, self.vocabulary.alphabet)
        prompt = torch.tensor([[END, *self.vocabulary.encode(read)]] * texts)
        ids = sample(
            self.model.eval(),
            prompt,
            max_tokens=self.model.config.max_tokens,
            end_id=END,
            temperature=temperature,
            generator=generator,
        )
        return [self.vocabulary.decode(row[1:]) for row in ids.tolist()]

    @classmethod
    def shipped(cls) -> "Writer":
        """Return the writer that comes with the course, trained on everyday sentences."""
        return cls(*load_folder(SHIPPED, DecoderOnly))
