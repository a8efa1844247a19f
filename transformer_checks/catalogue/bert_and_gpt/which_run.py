"""bert.which_run: tell a sound run from three others by what they say, and where."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip

# Texts, tokens, masked, replaced, mask_id, vocabulary, how many masks are filled (by a weak model
# less than half of them), and how many more by a copier.
SIZES = ((1, 18, 6, 5, 1, 8, 4, 1), (2, 12, 8, 5, 3, 9, 5, -1), (3, 12, 10, 6, 11, 12, 3, 1),
         (4, 9, 12, 7, 0, 10, 5, -1), (6, 5, 9, 6, 2, 7, 6, 1), (2, 24, 14, 10, 5, 20, 9, -1),
         (18, 7, 20, 15, 21, 240, 12, 1))


def _draw(generator: Generator) -> list[Case]:
    return [_case(generator, *sizes) for sizes in SIZES]


def _case(
    g: Generator, texts: int, length: int, masked: int, replaced: int, mask_id: int,
    vocabulary: int, seen: int, more: int,
) -> Case:
    """Draw what four runs say: how often each is right at which places is fixed, not where."""
    size = texts * length
    words = [word for word in torch.randperm(vocabulary, generator=g).tolist() if word != mask_id]
    common = words[0]

    def other(*not_these: int) -> int:
        left = [word for word in words[1:] if word not in not_these]
        return left[int(torch.randint(len(left), (), generator=g))]

    def some(places: Tensor, number: int) -> list[int]:
        return places[torch.randperm(len(places), generator=g)[:number]].tolist()

    holes, wrong, rest = torch.randperm(size, generator=g).split(
        [masked, replaced, size - masked - replaced]
    )
    tokens = torch.tensor([other() for _ in range(size)])
    tokens[some(holes, masked // 4) + some(wrong, 1) + some(rest, len(rest) // 2)] = common
    reads = tokens.clone()
    reads[holes] = mask_id
    reads[wrong] = torch.tensor([other(int(tokens[place])) for place in wrong])

    def says(mended: int, repeated: int, right: int, elsewhere: int) -> Tensor:
        """Right at so many holes and wrong words, repeating others, wrong elsewhere."""
        guess = torch.tensor(
            [other(a, b) for a, b in zip(tokens.tolist(), reads.tolist(), strict=True)]
        )
        shuffled = some(wrong, replaced)
        kept = [*some(holes, right), *shuffled[:mended], *some(rest, len(rest) - elsewhere)]
        guess[kept] = tokens[kept]
        again = shuffled[mended : mended + repeated]
        guess[again] = reads[again]
        return guess

    sound = says(-(-replaced // 2), replaced // 5, seen, len(rest) // 3 + 1)
    # Either of the two that copy may be the one that does so more often.
    mended, missed = (0, 1) if more > 0 else (replaced // 5, 0)
    all_places = says(mended, replaced - mended, seen + more, 0)
    what_it_reads = says(0, replaced - missed, 0, 1)
    what_it_reads[holes] = mask_id
    runs = torch.stack([sound, all_places, what_it_reads, torch.full_like(sound, common)])
    shape = (texts, length)
    return Case(f"{texts} of {length} tokens, mask id {mask_id}", {
        "tokens": tokens.view(shape), "reads": reads.view(shape),
        "guesses": runs[torch.randperm(4, generator=g)].view(4, *shape), "mask_id": mask_id,
    })


_SOUND = "shares[:, 1].argmax()"
_MEANS = "each.mean(1)"

CHECK = Check(
    name="bert.which_run", lesson="08_bert_and_gpt", title="Which run is broken?",
    answer="which_run", returns=("shares", "runs"), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15,
    slips=(
        Slip("every place but the masks", {"~masked & (reads != tokens)": "~masked"},
             "places at which the right word stands count among those with a wrong word",
             "A wrong word: neither [mask] nor the original."),
        Slip("masks among the wrong words", {"~masked & (reads != tokens)": "reads != tokens"},
             "places with [mask] count among those with a wrong word",
             "[mask] differs from the original too. Leave it out."),
        Slip("compared with what it reads", {"(guesses == tokens)": "(guesses == reads)"},
             "a guess counts as right where it equals what the model reads",
             "Right is the original word."),
        Slip("repeats counted everywhere", {"repeated[:, replaced]": "repeated.flatten(1)"},
             "repeats are counted at all places, where most words are as they should be",
             "Repeating says something only where a wrong word stands."),
        Slip("repeats counted at the masks", {"repeated[:, replaced]": "repeated[:, masked]"},
             "repeats are counted where [mask] stands",
             "The third share is of the places with a wrong word."),
        Slip("rights counted everywhere", {"right[:, masked]": "right.flatten(1)"},
             "the first share counts all places, most of which can be copied",
             "Count the places with [mask]: there is nothing to copy."),
        Slip("shares of all places", {_MEANS: "each.sum(1) / tokens.numel()"},
             "the counts are divided by the number of all places",
             "Each share is one of the places of its kind."),
        Slip("counts", {_MEANS: "each.sum(1)"}, "these are counts, not shares",
             "Divide by the number of places of that kind."),
        Slip("all runs together", {_MEANS: "each.mean().expand(4)"},
             "all four runs have the same shares: they were averaged", "One row for each run."),
        Slip("shares that differ", {"right[:, replaced], rep": "1 - right[:, replaced], rep"},
             "the second share is that of the guesses which are *not* the original",
             "It is the share of right guesses."),
        Slip("the most rights in all", {_SOUND: "right.flatten(1).mean(1).argmax()"},
             "the run with the most rights over all places is called sound: it is the one that was "
             "taught to copy",
             "Most places can be copied. Where does a copy fail?"),
        Slip("the most rights at the masks", {_SOUND: "shares[:, 0].argmax()"},
             "the run that is best where [mask] stands is called sound; the one with its loss at "
             "all places fills holes as well",
             "The two differ where a wrong word stands."),
    ),
)
