"""decoding.py against exhaustive search, and on models whose next token is read from a table."""

import itertools
from typing import Any, get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig, Positions
from transformer_lesson.decoding import Model, beam_search, greedy, likely, sample
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

PAD, START, END = 0, 1, 2
few = st.integers(1, 5)
seeds = st.integers(0, 2**16)


class Table(DecoderOnly):
    """The token after ``i`` is drawn from row ``i`` of ``probabilities``."""

    def __init__(self, probabilities: list[list[float]]) -> None:
        super().__init__(
            ModelConfig(len(probabilities), d_model=2, num_heads=1, num_layers=1, d_ff=1)
        )
        self.log_probability = torch.tensor(probabilities).log()

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Return the rows of the tokens; a cache learns how many were read."""
        if cache is not None:
            cache.read(tokens)
            nothing = torch.zeros(len(tokens), 1, tokens.shape[1], 1)
            cache.layers[0].self_attention.append(nothing, nothing)
        return self.log_probability[tokens]


def toy(vocab_size: int, seed: int, *, source: bool = False, **values: Any) -> Model:
    """Return a tiny model that is sure of itself and looks at the whole text."""
    config = ModelConfig(
        vocab_size,
        d_model=8,
        num_heads=2,
        num_layers=1,
        d_ff=16,
        **{"padding_id": None, "positions": "learned", **values},
    )
    kind = EncoderDecoder if source else DecoderOnly
    model = kind(config, generator=seeded(seed)).double()
    with torch.no_grad():
        model.embedding.weight.mul_(3.0)
    return model


def small(source: bool, **values: Any) -> Model:
    config = ModelConfig(12, d_model=12, num_heads=2, num_layers=2, d_ff=20, padding_id=0, **values)
    return (EncoderDecoder if source else DecoderOnly)(config, generator=seeded(0))


def ids(batch: int, tokens: int, vocab_size: int = 12, seed: int = 0) -> Tensor:
    return torch.randint(3, vocab_size, (batch, tokens), generator=seeded(seed))


# 1 -> 3 -> 4 -> end, and 5 -> 5 for ever
CHAIN = Table(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.9, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],  # what comes after the end must not be seen
        [0.0, 0.0, 0.3, 0.0, 0.7, 0.0],
        [0.0, 0.0, 0.8, 0.0, 0.2, 0.0],
        [0.0, 0.0, 0.1, 0.0, 0.0, 0.9],
    ]
)


@pytest.mark.parametrize("cached", [True, False])
def test_greedy_takes_the_most_probable_stops_and_pads(cached: bool) -> None:
    prompt = torch.tensor([[5, 1], [1, 3], [3, 4], [5, 5]])
    tokens = greedy(CHAIN, prompt, max_tokens=6, end_id=END, cached=cached)
    assert tokens.tolist() == [
        [5, 1, 3, 4, 2, 0],
        [1, 3, 4, 2, 0, 0],
        [3, 4, 2, 0, 0, 0],
        [5, 5, 5, 5, 5, 5],
    ]


def test_greedy_stops_when_all_have_finished() -> None:
    tokens = greedy(CHAIN, torch.tensor([[3], [4]]), max_tokens=100, end_id=END)
    assert tokens.tolist() == [[3, 4, 2], [4, 2, 0]]
    without_end = greedy(CHAIN, torch.tensor([[3]]), max_tokens=5)
    assert without_end.tolist() == [[3, 4, 2, 5, 5]]


@pytest.mark.parametrize("positions", get_args(Positions))
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("source", [False, True])
def test_cached_and_uncached_write_the_same(source: bool, norm: str, positions: str) -> None:
    model = small(source, norm=norm, positions=positions)
    prompt = ids(3, 3, seed=1)
    prompt[0, :2] = PAD
    sources = None
    if source:
        sources = ids(3, 5, seed=2)
        sources[1, 3:] = PAD
    ways: list[Any] = [
        lambda cached: greedy(model, prompt, source=sources, max_tokens=9, cached=cached),
        lambda cached: sample(
            model, prompt, source=sources, max_tokens=9, generator=seeded(0), cached=cached
        ),
        lambda cached: beam_search(
            model,
            prompt,
            source=sources,
            beam_width=3,
            max_tokens=9,
            end_id=END,
            cached=cached,
        ),
    ]
    for way in ways:
        torch.testing.assert_close(way(True), way(False), rtol=0, atol=1e-5)


@given(seeds, st.floats(0.1, 5.0), few)
@settings(max_examples=50, deadline=None)
def test_temperature_divides_the_logits(seed: int, temperature: float, rows: int) -> None:
    logits = torch.randn(rows, 7, generator=seeded(seed))
    changed = likely(logits, temperature=temperature)
    torch.testing.assert_close(changed.softmax(-1), (logits / temperature).softmax(-1))
    assert torch.equal(likely(logits), logits)


@given(seeds, st.integers(1, 9), few)
@settings(max_examples=50, deadline=None)
def test_top_k_keeps_the_most_probable(seed: int, top_k: int, rows: int) -> None:
    logits = torch.randn(rows, 7, generator=seeded(seed))
    kept = likely(logits, top_k=top_k).isfinite()
    assert kept.sum(-1).eq(min(top_k, 7)).all()
    for row, keeps in zip(logits, kept, strict=True):
        assert keeps.all() or row[keeps].min() > row[~keeps].max()


@given(seeds, st.floats(0.01, 1.0), few)
@settings(max_examples=50, deadline=None)
def test_top_p_keeps_the_fewest_that_reach_it(seed: int, top_p: float, rows: int) -> None:
    logits = 2 * torch.randn(rows, 7, generator=seeded(seed), dtype=torch.float64)
    changed = likely(logits, top_p=top_p)
    for row, after in zip(logits, changed, strict=True):
        kept = after.isfinite()
        assert torch.equal(row[kept], after[kept])
        probabilities = row.softmax(-1)[kept]
        assert probabilities.sum() >= top_p - 1e-9
        assert probabilities.sum() - probabilities.min() < top_p
        assert kept.all() or row[kept].min() > row[~kept].max()


def test_top_p_by_hand() -> None:
    logits = torch.tensor([0.1, 0.5, 0.15, 0.25]).log()
    for top_p, kept in [(0.3, [1]), (0.5, [1]), (0.6, [1, 3]), (0.8, [1, 2, 3]), (1.0, range(4))]:
        assert likely(logits, top_p=top_p).isfinite().nonzero().flatten().tolist() == list(kept)


def test_temperature_acts_before_top_p_and_top_k_before_both_are_met() -> None:
    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    assert likely(logits, top_p=0.6).isfinite().sum() == 2
    assert likely(logits, top_p=0.6, temperature=0.2).isfinite().sum() == 1
    # Of the two that top_k leaves the first has 0.5 / 0.8.
    assert likely(logits, top_p=0.6, top_k=2).isfinite().sum() == 1


@pytest.mark.parametrize("limits", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-3}])
def test_the_narrowest_sample_is_greedy(limits: dict[str, float]) -> None:
    model, prompt = small(False), ids(4, 2)
    drawn = sample(model, prompt, max_tokens=9, generator=seeded(0), **limits)  # type: ignore[arg-type]
    assert torch.equal(drawn, greedy(model, prompt, max_tokens=9))


def test_samples_follow_the_probabilities() -> None:
    drawn = sample(CHAIN, torch.tensor([[3]]).expand(5000, 1), max_tokens=2, generator=seeded(0))
    counts = drawn[:, 1].bincount(minlength=6) / 5000
    expected = torch.tensor([0.0, 0.0, 0.3, 0.0, 0.7, 0.0])
    torch.testing.assert_close(counts, expected, rtol=0, atol=4 * (0.21 / 5000) ** 0.5)


def test_a_sample_stops_and_pads() -> None:
    tokens = sample(CHAIN, torch.tensor([[3]] * 50), max_tokens=20, end_id=END, generator=seeded(0))
    for text in tokens.tolist():
        assert set(text[text.index(END) + 1 :]) <= {PAD}


def test_a_generator_repeats_a_sample_and_the_global_one_stays() -> None:
    model, prompt, before = small(False), ids(4, 2), torch.get_rng_state()
    first, second, third = (
        sample(model, prompt, max_tokens=12, generator=seeded(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, third)
    assert torch.equal(before, torch.get_rng_state())


def padded(tokens: Tensor, length: int) -> Tensor:
    return F.pad(tokens, (0, length - tokens.shape[1]), value=PAD)


@pytest.mark.parametrize("source", [False, True])
def test_a_beam_of_1_is_greedy(source: bool) -> None:
    for seed in range(5):
        model = toy(5, seed, source=source)
        prompt, sources = ids(4, 2, 5, seed), ids(4, 3, 5, seed) if source else None
        found, _ = beam_search(
            model, prompt, source=sources, beam_width=1, max_tokens=8, end_id=END
        )
        alone = greedy(model, prompt, source=sources, max_tokens=8, end_id=END)
        assert torch.equal(found, padded(alone, 8))


def exhaustive(
    model: Model, prompt: Tensor, source: Tensor | None, new: int, penalty: float
) -> tuple[list[int], float]:
    """Score every text that ends with END, or that has ``new`` tokens and none."""
    best: tuple[list[int], float] = ([], -torch.inf)
    for length in range(1, new + 1):
        others = [i for i in range(model.config.vocab_size) if i != END]
        last = range(model.config.vocab_size) if length == new else [END]
        for text in itertools.product(*[others] * (length - 1), last):
            tokens = torch.cat([prompt, torch.tensor([text])], dim=1)
            logits = model(tokens) if source is None else model(source, tokens)
            chosen = logits[0, prompt.shape[1] - 1 : -1].log_softmax(-1)
            total = chosen.gather(-1, torch.tensor(text)[:, None]).sum().item()
            score = total / ((5 + length) / 6) ** penalty
            if score > best[1]:
                best = tokens[0].tolist(), score
    return best


@torch.no_grad()
@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize(("source", "vocab_size", "new"), [(False, 4, 3), (True, 3, 4)])
def test_a_wide_beam_finds_what_exhaustive_search_finds(
    source: bool, vocab_size: int, new: int, penalty: float
) -> None:
    for seed in range(3):
        model = toy(vocab_size, seed, source=source)
        prompt = torch.tensor([[START], [vocab_size - 1]])
        sources = torch.tensor([[1, 2, 0], [2, 2, 1]]) if source else None
        found, scores = beam_search(
            model,
            prompt,
            source=sources,
            beam_width=vocab_size**new,
            max_tokens=new + 1,
            end_id=END,
            length_penalty=penalty,
        )
        for i in range(2):
            one = None if sources is None else sources[i : i + 1]
            text, score = exhaustive(model, prompt[i : i + 1], one, new, penalty)
            assert scores[i].item() == pytest.approx(score)
            assert found[i].tolist() == text + [PAD] * (new + 1 - len(text))


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("width", [2, 4])
def test_a_batch_finds_what_each_sentence_finds_alone(source: bool, width: int) -> None:
    for seed in range(5):
        model = toy(6, seed, source=source)
        prompt, sources = ids(6, 1, 6, seed), ids(6, 3, 6, seed) if source else None
        values = {"beam_width": width, "max_tokens": 10, "end_id": END}
        found, scores = beam_search(model, prompt, source=sources, **values)  # type: ignore[arg-type]
        for i in range(6):
            one = None if sources is None else sources[i : i + 1]
            alone, score = beam_search(model, prompt[i : i + 1], source=one, **values)  # type: ignore[arg-type]
            assert torch.equal(found[i], alone[0])
            torch.testing.assert_close(scores[i], score[0])


# After START: end 0.4, or 3 and then end: 0.6 * 0.9.
TRAP = Table(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.6, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.9, 0.0, 0.1],
        [0.0, 0.0, 1.0, 0.0, 0.0],
    ]
)


def test_the_first_text_to_finish_is_not_yet_the_best() -> None:
    found, scores = beam_search(
        TRAP, torch.tensor([[START]]), beam_width=2, max_tokens=4, end_id=END, length_penalty=0.0
    )
    assert found.tolist() == [[START, 3, END, PAD]]
    assert scores.exp().item() == pytest.approx(0.54)


def test_a_finished_text_wins_against_a_longer_one_that_got_worse() -> None:
    """At the last step 3, 4, end stands at 0.06 and the first that finished at 0.4."""
    cut = TRAP.log_probability.clone()
    cut[3] = torch.tensor([0.0, 0.0, 0.05, 0.05, 0.9]).log()
    cut[4] = torch.tensor([0.0, 0.0, 0.1, 0.45, 0.45]).log()
    worse = Table(cut.exp().tolist())
    found, scores = beam_search(
        worse, torch.tensor([[START]]), beam_width=2, max_tokens=5, end_id=END, length_penalty=0.0
    )
    assert found.tolist() == [[START, END, PAD, PAD, PAD]]
    assert scores.exp().item() == pytest.approx(0.4)


def test_a_beam_finds_what_greedy_misses() -> None:
    """3 is more probable than 4, but what follows it is anyone's guess."""
    fork = Table(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.6, 0.4],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.4, 0.3, 0.3],
            [0.0, 0.0, 1.0, 0.0, 0.0],
        ]
    )
    prompt = torch.tensor([[START]])
    assert greedy(fork, prompt, max_tokens=3, end_id=END).tolist() == [[START, 3, END]]
    found, _ = beam_search(fork, prompt, beam_width=2, max_tokens=3, end_id=END)
    assert found.tolist() == [[START, 4, END]]


def test_a_longer_text_is_preferred_as_the_length_penalty_grows() -> None:
    """3 for ever with 0.8 against an end at once with 0.2."""
    loop = Table([[1, 0, 0, 0], [0, 0, 0.35, 0.65], [1, 0, 0, 0], [0, 0, 0.2, 0.8]])
    lengths = [
        beam_search(
            loop,
            torch.tensor([[START]]),
            beam_width=3,
            max_tokens=8,
            end_id=END,
            length_penalty=penalty,
        )[0]
        .ne(PAD)
        .sum()
        .item()
        for penalty in (0.0, 1.0, 3.0)
    ]
    assert lengths == sorted(lengths)
    assert lengths[0] == 2
    assert lengths[-1] == 8


@pytest.mark.parametrize("end_id", [-1, 12, 2.5, "</s>"])
def test_an_end_that_is_no_token(end_id: Any) -> None:
    with pytest.raises(ValueError, match=f"end_id={end_id!r}; expected an id from 0 to 11"):
        greedy(small(False), ids(1, 2), max_tokens=5, end_id=end_id)


def test_bad_prompts_are_named() -> None:
    model = small(False)
    for max_tokens in (2, 3, 5.5):
        with pytest.raises(
            ValueError, match=f"max_tokens={max_tokens} counts the prompt, .* expected 4 or more"
        ):
            greedy(model, ids(1, 3), max_tokens=max_tokens)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape \(2, 0\); .* such as the start token"):
        greedy(model, torch.empty(2, 0, dtype=torch.long), max_tokens=5)
    with pytest.raises(ValueError, match="token id 12 is beyond the vocabulary"):
        sample(model, torch.tensor([[12]]), max_tokens=5)
    with pytest.raises(ValueError, match=r"shape \(1,\); expected \(batch, tokens\)"):
        beam_search(model, torch.tensor([1]), beam_width=2, max_tokens=5, end_id=END)


def test_a_source_for_those_that_read_one() -> None:
    with pytest.raises(ValueError, match="needs a source; give source=ids"):
        greedy(small(True), ids(2, 1), max_tokens=5)
    with pytest.raises(ValueError, match="there are 3 sources for 2 prompts"):
        greedy(small(True), ids(2, 1), source=ids(3, 4), max_tokens=5)
    with pytest.raises(ValueError, match="DecoderOnly reads no source; put the text into"):
        greedy(small(False), ids(2, 1), source=ids(2, 4), max_tokens=5)


def test_a_model_that_writes_no_text() -> None:
    model = EncoderOnly(small(False).config)
    with pytest.raises(TypeError, match="EncoderOnly writes no text; expected a DecoderOnly"):
        greedy(model, ids(1, 1), max_tokens=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"temperature": 0.0}, r"temperature=0\.0; expected more than 0\. For 0 use greedy"),
        ({"temperature": float("nan")}, "temperature=nan; expected more than 0"),
        ({"top_k": 0}, "top_k=0; expected an integer, 1 or more"),
        ({"top_p": 0.0}, r"top_p=0\.0; expected a probability above 0"),
        ({"top_p": 1.5}, r"top_p=1\.5; expected a probability above 0, at most 1"),
    ],
)
def test_draws_that_cannot_be(values: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sample(small(False), ids(1, 1), max_tokens=3, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"beam_width": 0}, "beam_width=0; expected an integer, 1 or more"),
        ({"beam_width": 2.0}, r"beam_width=2\.0; expected an integer"),
        ({"end_id": None}, "end_id=None; a beam search needs the id"),
        ({"length_penalty": "1"}, "length_penalty='1'; expected 0 or more"),
        ({"length_penalty": -1.0}, r"length_penalty=-1\.0; expected 0 or more"),
    ],
)
def test_beams_that_cannot_be(values: dict[str, Any], words: str) -> None:
    usual = {"beam_width": 2, "max_tokens": 3, "end_id": END}
    with pytest.raises(ValueError, match=words):
        beam_search(small(False), ids(1, 1), **{**usual, **values})


def test_a_source_that_is_all_padding_and_a_source_of_nothing() -> None:
    model = small(True)
    prompt, sources = ids(2, 1), ids(2, 4, seed=1)
    sources[1] = PAD
    for source in (sources, sources[:, :0]):
        found, scores = beam_search(
            model, prompt, source=source, beam_width=3, max_tokens=6, end_id=END
        )
        assert scores.isfinite().all()
        assert found.shape == (2, 6)
