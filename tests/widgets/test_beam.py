"""The tree of a beam search, without a browser."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from transformer_lesson.decoding import beam_search
from transformer_lesson.models import DecoderOnly, EncoderDecoder, ModelConfig
from transformer_lesson.widgets import BeamExplorer, BeamNode, BeamTree, record_beam_search

START, END = 1, 2
WORDS = ["<pad>", "<s>", "</s>", *"abcdefg"]
TREE = BeamTree(
    ["<s>"],
    [
        [
            BeamNode("a", None, -0.5, -0.5, "kept"),
            BeamNode("</s>", None, -1.0, -1.0, "finished"),
            BeamNode("b", None, -1.5, -1.5, "kept"),
            BeamNode("c", None, -2.5, -2.5, "dropped"),
        ],
        [
            BeamNode("</s>", 0, -0.75, -0.5, "finished"),
            BeamNode("d", 2, -2.0, -1.75, "kept"),
            BeamNode("d", 0, -3.0, -2.5, "dropped"),
        ],
    ],
    beam_width=2,
)


def model(source: bool, seed: int) -> DecoderOnly | EncoderDecoder:
    config = ModelConfig(
        vocab_size=len(WORDS), d_model=16, num_heads=2, num_layers=1, d_ff=32, max_tokens=16
    )
    kind = EncoderDecoder if source else DecoderOnly
    return kind(config, generator=torch.Generator().manual_seed(seed)).eval()


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("width", "penalty"), [(1, 0.6), (3, 0.6), (4, 0.0), (4, 2.0)])
def test_the_winner_is_that_of_the_search(
    source: bool, seed: int, width: int, penalty: float
) -> None:
    searched = model(source, seed)
    values: dict[str, Any] = {
        "source": torch.tensor([[3, 4, 5, 6]]) if source else None,
        "beam_width": width,
        "max_tokens": 9,
        "end_id": END,
        "length_penalty": penalty,
    }
    prompt = torch.tensor([[START, 4]])
    tokens, scores = beam_search(searched, prompt, **values)
    tree = record_beam_search(searched, prompt, **values, pieces=WORDS)
    step, node = tree.ranking()[0]
    found = tree.text(step, node)
    assert tree.prompt == ["<s>", "b"]
    assert [WORDS[i] for i in tokens[0, 2:].tolist()] == found + ["<pad>"] * (7 - len(found))
    assert tree.steps[step][node].score == pytest.approx(scores[0].item(), abs=1e-6)
    BeamExplorer(tree)


def test_each_hypothesis_has_the_probability_that_the_model_gives() -> None:
    searched = model(False, 3)
    prompt = torch.tensor([[START]])
    tree = record_beam_search(
        searched, prompt, beam_width=3, max_tokens=6, end_id=END, pieces=lambda i: WORDS[i]
    )
    for at, nodes in enumerate(tree.steps):
        assert len(nodes) == 6
        # Every text that was kept or finished was a candidate, and no others were kept.
        assert sum(node.state == "kept" for node in nodes) <= 3
        for index, node in enumerate(nodes):
            ids = [START] + [WORDS.index(token) for token in tree.text(at, index)]
            with torch.no_grad():
                log_probability = searched(torch.tensor([ids[:-1]]))[0].log_softmax(-1)
            total = log_probability.gather(1, torch.tensor(ids[1:])[:, None]).sum().item()
            assert node.log_probability == pytest.approx(total, abs=1e-4)
            assert node.score == pytest.approx(total / ((6 + at) / 6) ** 0.6, abs=1e-4)


def test_a_tree_is_of_one_text() -> None:
    with pytest.raises(ValueError, match=r"prompt has shape \(2, 1\); .* pass ids of shape \(1,"):
        record_beam_search(
            model(False, 0),
            torch.tensor([[START], [START]]),
            beam_width=2,
            max_tokens=4,
            end_id=END,
            pieces=WORDS,
        )


def test_texts_and_ranking_follow_the_parents() -> None:
    assert TREE.text(1, 1) == ["b", "d"]
    assert TREE.ranking() == [(1, 0), (0, 1)]
    assert TREE.ranking(0) == [(0, 1)]
    assert replace(TREE, beam_width=1).ranking() == [(1, 0)]


def test_the_text_says_what_became_of_each() -> None:
    explorer = BeamExplorer(TREE)
    assert explorer.step == 1
    assert explorer._repr_mimebundle_()[0]["text/plain"].splitlines() == [
        "Beam search of width 2 from <s>, step 2 of 2: 3 hypotheses, 1 kept, 1 dropped, "
        "1 finished.",
        "finished: a </s>, log-probability -0.7500, score -0.5000",
        "kept: b d, log-probability -2.0000, score -1.7500",
        "dropped: a d, log-probability -3.0000, score -2.5000",
        "Finished up to here:",
        "1. a </s>, log-probability -0.7500, score -0.5000",
        "2. </s>, log-probability -1.0000, score -1.0000",
    ]
