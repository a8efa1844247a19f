"""bert.corrupt: which tokens are asked for, and what stands in their place."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class _Corrupt:
    """Devlin et al. 2019, section 3.1; with a flag set, one thing in it is done wrongly."""

    rate: float = 0.15
    above: bool = False
    special_too: bool = False
    special_for_one: bool = False
    masked: float = 0.8
    replaced: float = 0.1
    swapped: bool = False
    asked: str = "chosen"
    independent: bool = False
    all_replaced: bool = False
    shows_answers: bool = False
    masked_everywhere: bool = False
    silence: int | None = None

    def __call__(
        self,
        tokens: Tensor,
        choose: Tensor,
        how: Tensor,
        replacements: Tensor,
        mask_id: int,
        first_word: int,
        padding_id: int,
    ) -> Result:
        words = tokens > first_word if self.special_for_one else tokens >= first_word
        chosen = choose > self.rate if self.above else choose < self.rate
        if not self.special_too:
            chosen = chosen & words
        masked = how < self.masked
        replaced = (how >= self.masked) & (how < self.masked + self.replaced)
        if self.swapped:
            replaced = how >= self.masked + self.replaced
        if self.independent:
            masked, replaced = masked & chosen, replaced & words
        elif self.all_replaced:
            masked, replaced = masked & chosen, ~masked & chosen
        else:
            masked, replaced = masked & chosen, replaced & chosen
        if self.masked_everywhere:
            masked = words & (how < self.masked)
        reads = torch.where(masked, mask_id, torch.where(replaced, replacements, tokens))
        wanted = {
            "chosen": chosen,
            "masked": masked,
            "changed": masked | replaced,
            "all": torch.ones_like(chosen),
            "words": words,
            "rest": words & ~chosen,
        }[self.asked]
        answers = reads if self.shows_answers else tokens
        silence = padding_id if self.silence is None else self.silence
        return reads, torch.where(wanted, answers, silence)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, tokens: Tensor, rate: float, mask_id: int, first: int, padding_id: int
    ) -> Case:
        shape = tokens.shape
        choose = torch.rand(shape, generator=generator)
        # So that every small batch has chosen tokens: a good part of the draws is made small.
        choose = torch.where(choose < rate, 0.15 * choose / rate, 0.16 + 0.83 * choose)
        how = torch.rand(shape, generator=generator).clamp(0.001, 0.999)
        how = torch.where((how - 0.8).abs() < 1e-3, 0.79, how)
        how = torch.where((how - 0.9).abs() < 1e-3, 0.89, how)
        replacements = torch.randint(first, first + 20, shape, generator=generator)
        replacements = torch.where(replacements == tokens, replacements + 1, replacements)
        return Case(
            label,
            {
                "tokens": tokens,
                "choose": choose,
                "how": how,
                "replacements": replacements,
                "mask_id": mask_id,
                "first_word": first,
                "padding_id": padding_id,
            },
        )

    def texts(rows: int, length: int, first: int, specials: tuple[int, int, int]) -> Tensor:
        opening, closing, padding = specials
        ids = torch.randint(first, first + 20, (rows, length), generator=generator)
        ids[:, 0], ids[:, 2] = opening, first
        for row in range(rows):
            end = length - 1 - row % 3
            ids[row, end] = closing
            ids[row, end + 1 :] = padding
        return ids

    # One word for each of the four fates: hidden, replaced, left, not chosen.
    hand = Case(
        "one text of four words, one for each fate",
        {
            "tokens": torch.tensor([[2, 7, 4, 9, 6, 3]]),
            "choose": torch.tensor([[0.05, 0.11, 0.02, 0.14, 0.5, 0.01]]),
            "how": torch.tensor([[0.5, 0.3, 0.85, 0.95, 0.2, 0.84]]),
            "replacements": torch.tensor([[5, 8, 10, 7, 12, 9]]),
            "mask_id": 1,
            "first_word": 4,
            "padding_id": 0,
        },
    )
    return [
        hand,
        case("one text", texts(1, 9, 4, (2, 3, 0)), 0.5, 1, 4, 0),
        case("three texts with padding", texts(3, 12, 4, (2, 3, 0)), 0.5, 1, 4, 0),
        case("padding id 3, mask id 0", texts(3, 14, 5, (1, 2, 3)), 0.5, 0, 5, 3),
        case("many texts", texts(6, 40, 4, (2, 3, 0)), 0.4, 1, 4, 0),
    ]


CORRUPT = Check(
    name="bert.corrupt",
    lesson="08_bert_and_gpt",
    title="The 80/10/10 corruption",
    answer="corrupt",
    returns=("reads", "asked"),
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_Corrupt(),
    slips=(
        Misconception(
            "special tokens chosen",
            _Corrupt(special_too=True),
            "special tokens are chosen too: [cls], [sep] and padding must stay",
            "Only ids from first_word on are words.",
        ),
        Misconception(
            "first word left out",
            _Corrupt(special_for_one=True),
            "the first word of the vocabulary is never chosen",
            "first_word itself is a word.",
        ),
        Misconception(
            "85 % chosen",
            _Corrupt(above=True),
            "those with choose above 0.15 are chosen: 85 % of the words",
            "A draw is below 0.15 in 15 % of all cases.",
        ),
        Misconception(
            "only masks asked",
            _Corrupt(asked="masked"),
            "only hidden words are asked for; the replaced and the unchanged ones are not",
            "All chosen words are asked for: that is what the 10 and 10 are for.",
        ),
        Misconception(
            "unchanged words not asked",
            _Corrupt(asked="changed"),
            "words that were chosen and left unchanged are not asked for",
            "All chosen words are asked for, those that stand in plain sight too.",
        ),
        Misconception(
            "all places asked",
            _Corrupt(asked="all"),
            "every place is asked for: most questions are answered by copying",
            "Where a token was not chosen, `asked` is the padding id.",
        ),
        Misconception(
            "all words asked",
            _Corrupt(asked="words"),
            "every word is asked for, chosen or not: most questions are answered by copying",
            "Where a token was not chosen, `asked` is the padding id.",
        ),
        Misconception(
            "the others asked",
            _Corrupt(asked="rest"),
            "the words that were not chosen are asked for",
            "Which words does the model not see?",
        ),
        Misconception(
            "everything masked",
            _Corrupt(masked=1.0),
            "all chosen words are hidden, none is replaced or left",
            "`how` says which: below 0.8, from 0.8 to 0.9, from 0.9 on.",
        ),
        Misconception(
            "none left unchanged",
            _Corrupt(all_replaced=True),
            "all that is not hidden is replaced: 80/20/0",
            "From 0.9 on the word stays.",
        ),
        Misconception(
            "none replaced",
            _Corrupt(replaced=0.0),
            "all that is not hidden stays: 80/0/20",
            "From 0.8 to 0.9 the replacement stands there.",
        ),
        Misconception(
            "replaced and unchanged swapped",
            _Corrupt(swapped=True),
            "words with `how` from 0.9 on are replaced, those from 0.8 to 0.9 are left",
            "The shares are right; the exercise wants them in the other order.",
        ),
        Misconception(
            "replacements for all",
            _Corrupt(independent=True),
            "words that were not chosen are replaced as well",
            "The 10 % are of the *chosen* words.",
        ),
        Misconception(
            "masks for all",
            _Corrupt(masked_everywhere=True),
            "words that were not chosen are hidden as well: 80 % of all",
            "The 80 % are of the *chosen* words.",
        ),
        Misconception(
            "-100 where nothing is asked",
            _Corrupt(silence=-100),
            "-100 stands where nothing is asked: PyTorch's own sign for it, not the one asked for",
            "Where a token was not chosen, `asked` is the padding id.",
        ),
        Misconception(
            "asks for what it reads",
            _Corrupt(shows_answers=True),
            "what is asked for are the corrupted tokens: the model would learn to say [mask]",
            "The right answer is the token before the corruption.",
        ),
    ),
    hints=(
        "First find the chosen places: two conditions. Everything else happens at these.",
        "Then three groups of chosen places, by `how`. `torch.where(condition, a, b)` picks from "
        "two tensors, or from a tensor and a number.",
        "`asked` needs no groups: the tokens where they are chosen, the padding id elsewhere.",
    ),
)
