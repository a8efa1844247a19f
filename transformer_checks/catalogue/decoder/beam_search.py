"""decoder.beam_search: several beginnings at once, for one sentence."""

import torch
from torch import Generator

from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.catalogue.draws import normal
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Slip

# `python -m authoring.bases decoder.beam_search` finds them: each slip shows in one of the cases.
BASES = (21, 110, 110, 33, 2, 10, 614, 221, 168, 748, 9, 1977, 44, 44, 2, 431, 1182, 5, 2540)

SIZES: tuple[tuple[str, list[int], int, int, float], ...] = (
    ("width 2, no length penalty", [1], 2, 5, 0.0), ("width 2, length penalty 1", [1], 2, 6, 1.0),
    ("width 3, length penalty 0.6", [1], 3, 7, 0.6),
    ("a prompt of three tokens", [1, 3, 4], 2, 8, 1.0),
    ("a text that does not end in time", [1], 3, 4, 0.6),
    ("width 4, length penalty 2", [1], 4, 7, 2.0),
    ("width 3: where a text ends, the next best takes its place", [1], 3, 7, 1.0),
    ("width 3: each text needs more than its three best words", [1], 3, 7, 1.0),
    ("width 2: a text that ends outside the beam", [1], 2, 7, 1.0),
    ("width 2, end id 3: a wider beam would find a better text", [1], 2, 7, 0.6),
    ("a prompt of three tokens, and a text that does not end in time", [1, 3, 4], 3, 6, 0.6),
    ("width 2, where 3 or 4 find other texts", [1], 2, 7, 0.6),
    ("width 1, where 2 or 3 find other texts", [1], 1, 7, 0.6),
    ("width 2: the best text ends at once", [1], 2, 7, 0.6),
    ("a prompt that begins with the end token, logits around 1000", [2, 3], 2, 7, 1.0),
    ("width 2, where a beam of 4 finds another text", [1], 2, 7, 0.6),
    ("width 2, length penalty 2: many texts end before the best one", [1], 2, 8, 2.0),
    ("a long text, all words about equally likely", [1], 1, 90, 0.6),
)
END_IDS = (2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2)


def _draw(generator: Generator) -> list[Case]:
    def case(base: int, size: tuple[str, list[int], int, int, float], end_id: int) -> Case:
        label, prompt, width, max_tokens, length_penalty = size
        names = renamed(generator, end_id + 4, special=end_id + 1)
        return Case(label, {
            "model": model(base, names, generator, spread=1.5, low=(0, 1)),
            "prompt": names[torch.tensor([prompt])], "width": width, "max_tokens": max_tokens,
            "end_id": end_id, "length_penalty": length_penalty,
        })

    def wide() -> dict[str, Value]:
        """Of 18 first words the least probable one leads to the best text."""
        logits = 0.2 * normal(generator, 24, 24, 24)
        logits[..., 20] = -6.0  # the end
        prompt = torch.randint(20, (1, 17), generator=generator)
        first = torch.cat([torch.randperm(20, generator=generator), torch.arange(20, 24)])
        *_, before, last = prompt[0].tolist()
        logits[before, last, first] = -0.05 * torch.arange(24)
        logits[last, first[17], 20] = 9.0
        return {"model": LanguageModel(logits), "prompt": prompt, "width": 18, "max_tokens": 20,
                "end_id": 20, "length_penalty": 0.65}

    def end_0() -> dict[str, Value]:
        logits = normal(generator, 5, 5, 5)
        logits[..., 0] += 1.0
        return {"model": LanguageModel(logits), "prompt": torch.tensor([[3]]), "width": 2,
                "max_tokens": 5, "end_id": 0, "length_penalty": 0.6}

    cases = [case(*drawn) for drawn in zip(BASES[:-1], SIZES, END_IDS, strict=True)]
    own = ("width 2, an end among the two best words of its own text alone", [1], 2, 7, 1.0)
    large, long = cases[-4].inputs["model"], cases[-1].inputs["model"]
    assert isinstance(large, LanguageModel) and isinstance(long, LanguageModel)
    large.table.add_(1000.0)
    long.table.mul_(0.05)[..., 2] = -20.0  # in float32 the product of its probabilities is 0
    return [
        *cases,
        Case("width 2, end id 0", end_0()),
        Case("width 18, 24 words, end id 20, a prompt of 17 tokens", wide()),
        case(BASES[-1], own, 2),
        case(1, ("a prompt that ends in the end token", [3, 2], 2, 7, 1.0), 2),
        Case("room for one word", {**end_0(), "max_tokens": 2}),
    ]


_NEXT = "        running = [beam"
_BREAK = f"            running = []\n            break\n{_NEXT}"

CHECK = Check(
    name="decoder.beam_search", lesson="06_decoder", title="Beam search",
    answer="beam_search", returns=("tokens", "score"), draw=_draw,
    points=3, difficulty=4, importance=4, minutes=25,
    slips=(
        Slip("greedy", {"[:width]": "[:1]"}, "only one beginning is kept: this is greedy decoding",
             "Of all continuations of all running texts the best `width` go on."),
        Slip("stops when the first text ends", {_NEXT: f"        if finished:\n{_BREAK}"},
             "the search stops as soon as one text has ended; a better one was still running",
             "A finished text waits. The others run on and compete with it in the end."),
        Slip("stops when width texts have ended",
             {_NEXT: f"        if len(finished) >= width:\n{_BREAK}"},
             "the search stops once `width` texts have ended; a better one was still running",
             "Finished texts wait. The others run on and compete with them in the end."),
        Slip("the beam narrows", {"for beam in grown if": "for beam in grown[:width] if"},
             "a text that ends leaves its place in the beam empty: fewer than `width` run on",
             "Run on with the best `width` of those that do *not* end."),
        Slip("width words of each text",
             {"in enumerate(gains)":
                  "in sorted(enumerate(gains), key=lambda word: -word[1])[:width]"},
             "each text goes on with its best `width` words only: if one of them ends, a word that "
             "belongs to the best is missing",
             "Continue every text by every word, then choose."),
        Slip("ends outside the beam count", {"text in grown[:width] if": "text in grown if"},
             "every text that ends is finished, even if it is not among the best `width`",
             "Look for ends among the best `width` of all continuations."),
        Slip("ends among twice the beam", {"text in grown[:width] if":
                                           "text in grown[:2 * width] if"},
             "a text that ends is finished if it is among the best 2 · `width`, though `width` run "
             "on",
             "Some libraries look at 2 · width candidates; here the best `width` count."),
        Slip("finished texts grow on",
             {"for t, text in grown[:width] if": "for t, text in [] if",
              "[beam for beam in grown if beam[1][-1] != end_id]": "grown"},
             "texts that have ended are continued",
             "Take texts that end out of the running ones and keep them aside."),
        Slip("unfinished texts lost", {"finished + [": "finished or ["},
             "texts that reach max_tokens compete only if no text has ended",
             "At max_tokens every running text counts as finished."),
        Slip("exponentials overflow",
             {"            gains = model(torch.tensor([text]))[0].log_softmax(-1).tolist()":
                  "            likely = model(torch.tensor([text]))[0].exp()\n"
                  "            gains = (likely / likely.sum()).log().tolist()"},
             "the exponential of a logit of 1000 is infinite",
             "PyTorch's log_softmax takes the largest logit away first."),
    ),
)
