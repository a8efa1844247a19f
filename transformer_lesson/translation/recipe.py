"""From a corpus to a translator: vocabulary, batches, model and training, by one recipe."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torch import nn
from tqdm.auto import tqdm

from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import History, TokenBatches, train, translation
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.settings import Recipe
from transformer_lesson.translation.translator import Translator, examples
from transformer_lesson.translation.vocabulary import PADDING, Vocabulary

__all__ = ["Recipe", "learn_vocabulary", "train_translator"]


def learn_vocabulary(corpus: Corpus, size: int) -> Vocabulary:
    """Learn the joint vocabulary from the training text of ``corpus`` alone."""
    texts = (text for pair in corpus.train for text in (pair.english, pair.french))
    return Vocabulary.train(texts, size)


def train_translator(
    corpus: Corpus,
    recipe: Recipe,
    *,
    start: Translator | None = None,
    vocabulary: Vocabulary | None = None,
    watched: Sequence[Pair] = (),
    folder: str | Path | None = None,
    device: str = "cpu",
    progress: bool = True,
) -> tuple[Translator, History]:
    """Train a translator, and show its progress.

    Args:
        corpus: to train on; validation BLEU is measured on its first 200 validation pairs.
        recipe: sizes and settings.
        start: a trained model to go on from, with its vocabulary; the recipe has its sizes
            (``Recipe.sized_as``). It stays as it is.
        vocabulary: learned from the training text if none is given.
        watched: pairs whose translation is printed at each evaluation.
        folder: for checkpoints; training resumes from the one it holds.
        device: where to train.
        progress: whether to show a bar, the share of padding and the watched translations.

    Returns:
        The translator and the history, whose evaluations hold ``bleu`` on the validation pairs.

    Raises:
        ValueError: the text does not suit the recipe: it holds too little for the vocabulary, or
            its sentences are all too long. Or ``start`` has other sizes, or is given beside a
            vocabulary. Nothing was written.
    """
    translator = _started(recipe, start, vocabulary, corpus)
    translator.model.to(device)
    vocabulary = translator.vocabulary
    pairs = examples(corpus.train, vocabulary, recipe.max_tokens)
    batches = TokenBatches(pairs, recipe.batch_tokens, padding_id=PADDING, seed=recipe.seed)
    held_out = corpus.validation[:200]
    if progress:
        _show_batches(len(corpus.train) - len(pairs), batches, recipe)

    def evaluate(model: nn.Module) -> dict[str, float]:
        hypotheses = translator.translate([pair.english for pair in held_out])
        if progress:
            _show(translator, watched)
        return {"bleu": score(hypotheses, [pair.french for pair in held_out], resamples=0).bleu}

    history = train(
        translator.model,
        translation(padding_id=PADDING, label_smoothing=recipe.label_smoothing),
        batches,
        recipe.training(),
        evaluate=evaluate,
        folder=folder,
        progress=progress,
    )
    return translator, history


def _started(
    recipe: Recipe, start: Translator | None, vocabulary: Vocabulary | None, corpus: Corpus
) -> Translator:
    """Return the translator of step 0: new, or with the weights of ``start``."""
    if start is None:
        vocabulary = vocabulary or learn_vocabulary(corpus, recipe.vocab_size)
        return Translator(recipe.model(), vocabulary)
    if vocabulary is not None:
        raise ValueError("start has a vocabulary of its own; leave vocabulary out.")
    if recipe.sized_as(start) != recipe:
        raise ValueError("recipe has other sizes than start; use recipe.sized_as(start).")
    model = EncoderDecoder(replace(start.model.config, dropout=recipe.dropout))
    model.load_state_dict(start.model.state_dict())
    return Translator(model, start.vocabulary)


def _show_batches(left_out: int, batches: TokenBatches, recipe: Recipe) -> None:
    share = f"{batches.padding_share:.1%} of their ids are padding"
    tqdm.write(f"{batches.per_epoch:,} batches a pass; {share}")
    if left_out:
        tqdm.write(f"{left_out:,} pairs left out: empty, or beyond max_tokens={recipe.max_tokens}")


def _show(translator: Translator, watched: Sequence[Pair]) -> None:
    """Print the translations of the watched sentences above the progress bar."""
    sentences = [pair.english for pair in watched]
    for english, french in zip(sentences, translator.translate(sentences), strict=True):
        tqdm.write(f"  {english} → {french}")
    if watched:
        tqdm.write("")
