"""A toy language, and how it is learned in a second."""

from transformer_lesson.translation.corpora import Corpus, Pair
from transformer_lesson.translation.recipe import Recipe

ENGLISH = ["a cat", "a dog", "a big cat", "a big dog", "one dog sleeps", "one cat sleeps here"]
NOUNS = ("chat", "chien", "gros chat", "gros chien", "chien dort", "chat dort ici")
FRENCH = [f"un {noun}" for noun in NOUNS]
PAIRS = [Pair(english, french) for english, french in zip(ENGLISH, FRENCH, strict=True)]
CORPUS = Corpus("toy", PAIRS * 20, PAIRS[5:], PAIRS, "a toy")
RECIPE = Recipe(
    vocab_size=60,
    d_model=16,
    num_heads=2,
    d_ff=32,
    max_tokens=20,
    batch_tokens=60,
    steps=150,
    learning_rate=0.01,
    warmup_steps=10,
    evaluate_every=75,
)
