"""What lesson 10 promises: speed beside ``nn.Transformer``, padding, preparation, beam, BLEU.

All on one thread and in seconds of processor time, so that other work on the machine matters
little; only the minute of training is by the clock, on two cores. The two models train in the same
loop, on the same batches.

``python -m benchmarks.translation`` takes about five minutes.
"""

import statistics
import time
import warnings
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import nn

from benchmarks.harness import medians, promise, rounds, run, seconds
from benchmarks.model import WithPyTorch
from transformer_lesson import seeded
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, TrainingConfig, train, translation
from transformer_lesson.translation.corpora import Corpus, load_corpus
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe, learn_vocabulary, train_translator
from transformer_lesson.translation.translator import examples
from transformer_lesson.translation.vocabulary import PADDING, Vocabulary

RECIPE = Recipe(batch_tokens=576)
MINUTE_RECIPE = Recipe(batch_tokens=1024, steps=400, warmup_steps=50, evaluate_every=0)
STEPS, REPEATS = 20, 9


@dataclass(frozen=True)
class Prepared:
    """What training needs, and the seconds that it took.

    Attributes:
        loading: seconds to read the corpus.
        tokenizer: seconds from text to ids, once there is a vocabulary.
    """

    corpus: Corpus
    vocabulary: Vocabulary
    batches: TokenBatches
    loading: float
    tokenizer: float


def prepare() -> Prepared:
    """Prepare corpus, vocabulary and batches, and time what is done for every pair."""
    start = time.process_time()
    corpus = load_corpus("builtin", pairs=40_000)
    loading = time.process_time() - start
    vocabulary = learn_vocabulary(corpus, RECIPE.vocab_size)
    start = time.process_time()
    ids = examples(corpus.train, vocabulary, RECIPE.max_tokens)
    tokenizer = time.process_time() - start
    batches = TokenBatches(ids, RECIPE.batch_tokens, padding_id=PADDING)
    return Prepared(corpus, vocabulary, batches, loading, tokenizer)


def speed(prepared: Prepared) -> float:
    """Print tokens per second of both models; return our seconds per step."""
    config = replace(RECIPE.config(), vocab_size=len(prepared.vocabulary), tie_embeddings=True)
    ours = EncoderDecoder(config, generator=seeded(0))
    models: tuple[nn.Module, nn.Module] = (ours, WithPyTorch(EncoderDecoder(config)))
    objective = translation(padding_id=PADDING, label_smoothing=RECIPE.label_smoothing)

    def some_steps(model: nn.Module) -> None:
        training = TrainingConfig(steps=STEPS, learning_rate=1e-3)
        train(model, objective, prepared.batches, training, progress=False)

    taken = rounds([partial(some_steps, model) for model in models], REPEATS, time.process_time)
    mine, theirs = (median / STEPS for median in medians(taken))
    ratio = statistics.median(other / own for own, other in taken)
    targets = (prepared.batches(number)[1][:, 1:] for number in range(STEPS))
    tokens = sum(int((target != PADDING).sum()) for target in targets) / STEPS
    promise(
        "training of lesson 10's model, in tokens a second of nn.Transformer",
        ratio,
        least=1,
        detail=f"{tokens / mine:,.0f} and {tokens / theirs:,.0f} French tokens a second",
    )
    return mine


def preparation(prepared: Prepared, step: float) -> None:
    """Print the cost of loading and tokenizing beside the training."""
    whole = RECIPE.steps * step
    parts = (prepared.loading, prepared.tokenizer)
    loading, tokenizer = (100 * part / (whole + sum(parts)) for part in parts)
    of = f"of a training of {whole:.0f} s"
    promise("the share of loading the corpus", loading, most=5, unit="%", detail=of)
    promise("the share of training the tokenizer", tokenizer, most=5, unit="%", detail=of)


def translating(prepared: Prepared) -> None:
    """Train, then translate; print the BLEU, and the seconds of both."""
    recipe = replace(MINUTE_RECIPE, vocab_size=len(prepared.vocabulary))
    hardly_scored = replace(prepared.corpus, validation=prepared.corpus.validation[:2])
    torch.set_num_threads(2)
    vocabulary, start = prepared.vocabulary, time.perf_counter()
    translator, _ = train_translator(hardly_scored, recipe, vocabulary=vocabulary, progress=False)
    took = time.perf_counter() - start
    torch.set_num_threads(1)
    test = prepared.corpus.test
    texts, references = [pair.english for pair in test], [pair.french for pair in test]
    bleu = score(translator.translate(texts), references)
    beam = seconds(lambda: translator.translate(texts, beam_width=4), time.process_time)
    promise("BLEU of lesson 10's first training", bleu.bleu, least=15, detail=str(bleu))
    promise("that training", took, most=60, unit="s", detail=f"{recipe.steps} steps")
    promise(f"a beam of 4 over {len(texts):,} sentences", beam, most=60, unit="s")


def main() -> None:
    """Print all."""
    warnings.filterwarnings("ignore", message="enable_nested_tensor")
    torch.set_num_threads(1)
    prepared = prepare()
    padding = 100 * prepared.batches.padding_share
    promise("padding in a batch of lesson 10", padding, most=10, unit="%")
    preparation(prepared, speed(prepared))
    translating(prepared)


if __name__ == "__main__":
    run(main)
