"""bert.which_run: tell a sound run from three others by what they say, and where."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check

# Texts, tokens, masked, replaced, mask_id, vocabulary, how many masks are filled (by a weak model
# less than half of them), and how many more by a copier.
SIZES = (
    (1, 18, 6, 5, 1, 8, 4, 1),
    (2, 12, 8, 5, 3, 9, 5, -1),
    (3, 12, 10, 6, 11, 12, 3, 1),
    (4, 9, 12, 7, 0, 10, 5, -1),
    (6, 5, 9, 6, 2, 7, 6, 1),
    (2, 24, 14, 10, 5, 20, 9, -1),
    (18, 7, 20, 15, 21, 240, 12, 1),
)


def _draw(generator: Generator) -> list[Case]:
    return [_case(generator, *sizes) for sizes in SIZES]


def _case(
    g: Generator,
    texts: int,
    length: int,
    masked: int,
    replaced: int,
    mask_id: int,
    vocabulary: int,
    seen: int,
    more: int,
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
    return Case(
        f"{texts} of {length} tokens, mask id {mask_id}",
        {
            "tokens": tokens.view(shape),
            "reads": reads.view(shape),
            "guesses": runs[torch.randperm(4, generator=g)].view(4, *shape),
            "mask_id": mask_id,
        },
    )


CHECK = Check(
    name="bert.which_run",
    lesson="08_bert_and_gpt",
    title="Which run is broken?",
    answer="which_run",
    returns=("shares", "runs"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
