"""What a training and a search are asked for, and may be: to be listed without PyTorch."""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from transformer_lesson import seeded

if TYPE_CHECKING:
    from transformer_lesson.config import ModelConfig
    from transformer_lesson.models import EncoderDecoder
    from transformer_lesson.training import TrainingConfig
    from transformer_lesson.training.config import AskedPrecision
    from transformer_lesson.translation.translator import Translator

WIDEST = 64  # beams
SIZES = ("vocab_size", "d_model", "num_heads", "num_layers", "d_ff", "max_tokens")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a translator is made from a corpus; the defaults suit a few minutes on two cores.

    Attributes:
        vocab_size: pieces of the joint vocabulary.
        d_model: width of the model.
        num_heads: heads of each attention.
        num_layers: layers of the encoder, and of the decoder.
        d_ff: width inside the feed-forward.
        dropout: probability; 0 suits a model that sees each sentence only a few times.
        max_tokens: longest sentence in pieces; longer pairs are left out of training.
        batch_tokens: rows times longest sentence of a batch. Small batches mean many steps.
        batches_per_step: batches of an update; several processes share them evenly.
        steps: number of updates.
        learning_rate: the highest one.
        warmup_steps: steps over which it rises.
        label_smoothing: share of the probability spread over the vocabulary.
        evaluate_every: steps between evaluations.
        precision: float32, bfloat16, or the fastest of the two on this machine.
        seed: of the weights, the batches and dropout.

    Raises:
        ValueError: no model has these sizes, or no training these settings.
    """

    vocab_size: int = 4000
    d_model: int = 128
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 512
    dropout: float = 0.0
    max_tokens: int = 128
    batch_tokens: int = 512
    batches_per_step: int = 1
    steps: int = 2000
    learning_rate: float = 0.003
    warmup_steps: int = 200
    label_smoothing: float = 0.1
    evaluate_every: int = 500
    precision: "AskedPrecision" = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        self.config()
        self.training()

    def config(self) -> "ModelConfig":
        """Return the sizes of the model. Untied output layers learn faster here."""
        from transformer_lesson.config import ModelConfig
        from transformer_lesson.translation.vocabulary import PADDING

        sizes = {name: getattr(self, name) for name in SIZES}
        return ModelConfig(**sizes, dropout=self.dropout, padding_id=PADDING, tie_embeddings=False)

    def model(self) -> "EncoderDecoder":
        """Return the model, untrained."""
        from transformer_lesson.models import EncoderDecoder

        return EncoderDecoder(self.config(), generator=seeded(self.seed))

    def sized_as(self, trained: "Translator") -> "Recipe":
        """Return this recipe with the sizes of a trained model, to go on from its weights."""
        config = trained.model.config
        return replace(self, **{name: getattr(config, name) for name in SIZES})

    def training(self) -> "TrainingConfig":
        """Return the settings of ``train``."""
        from transformer_lesson.training import TrainingConfig

        shared = {f.name for f in fields(self)} & {f.name for f in fields(TrainingConfig)}
        values = {name: getattr(self, name) for name in shared}
        return TrainingConfig(**values, schedule="cosine", save_every=self.evaluate_every)
