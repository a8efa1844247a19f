"""Lesson 08: can BERT go on with a text?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import (
    GAPS,
    PRONOUNS,
    Model,
    bert,
    bert_of_pairs,
    go_on,
    gpt,
    guesses,
    id_of,
    share_possible,
    unseen_ids,
)
from transformer_lesson import seeded

PROMPTS = 200
SHORT, WHOLE, EXCLUDED = "last sentence", "from the first sentence on", "on excluded actors"
ALONE, LONGER = "BERT, whole stories", "BERT, whole stories, 900 steps"
PAIRS = "BERT, pairs, half of them random"
NOT_ASKED = "BERT, such pairs, not asked whether B follows"
GPT = "GPT"


def measure(seed: int, kind: str, steps: int = 300) -> Numbers:
    """Share of continuations that make a possible story, and what is spent on wrong actors."""
    model = _model(kind, seed, steps)
    written = {
        name: share_possible(go_on(model, unseen_ids[:PROMPTS, :given], seeded(1)))
        for name, given in ((SHORT, 19), (WHOLE, 12))
    }
    return {**written, EXCLUDED: on_excluded_actors(model)}


def _model(kind: str, seed: int, steps: int) -> Model:
    match kind:
        case "stories":
            return bert(seed, steps)
        case "pairs":
            return bert_of_pairs(seed)
        case "pairs, not asked":
            return bert_of_pairs(seed, asked=False)
        case "gpt":
            return gpt(seed)
    return Model(causal=False, seed=seed)


def on_excluded_actors(model: Model) -> float:
    """Return the probability, at the gap of the actor, of those that the pronoun rules out."""
    probabilities = guesses(model, GAPS["actor"]).softmax(-1)
    said = unseen_ids[:, GAPS["pronoun"]]
    wrong = [probabilities[:, id_of[w]] * (said != id_of[p]) for w, p in PRONOUNS.items()]
    return sum(part.mean().item() for part in wrong)


def decide(runs: Runs) -> Verdict:
    short = runs.count(lambda share: share >= 0.5, LONGER, SHORT)
    number = len(runs.values(LONGER, WHOLE))
    whole = zip(runs.values(LONGER, WHOLE), runs.values(GPT, WHOLE), strict=True)
    equal = sum(own >= other - 0.05 for own, other in whole)
    pairs = zip(runs.values(ALONE, WHOLE), runs.values(PAIRS, WHOLE), strict=True)
    better = sum(own > other for own, other in pairs)
    numbers = (
        f"After 900 steps BERT ends the last sentence rightly in {runs.median(LONGER, SHORT):.0%} "
        f"of the cases and writes {runs.median(LONGER, WHOLE):.0%} of whole continuations, GPT "
        f"after 300 steps {runs.median(GPT, WHOLE):.0%}. After 300 steps BERT writes "
        f"{runs.median(ALONE, WHOLE):.0%}; of pairs, half of them random, it learns to write "
        f"{runs.median(PAIRS, WHOLE):.0%} (less in {better} of {number} runs), and "
        f"{runs.median(NOT_ASKED, WHOLE):.0%} if it is not asked whether B follows."
    )
    if short >= number - 1 and equal >= number - 1:
        return Verdict("false", numbers)
    if runs.median(LONGER, SHORT) < 0.1:
        return Verdict("true", numbers)
    if short >= number - 1 and equal <= 1:
        return Verdict("half true", numbers)
    return Verdict("not decided", numbers)


CLAIM = Claim(
    name="bert.writing",
    lesson="08_bert_and_gpt",
    says="BERT cannot write: it only fills gaps.",
    source="a common comparison; Wang and Cho 2019, BERT has a Mouth, and It Must Speak, reply",
    measure=measure,
    conditions=(
        Condition(ALONE, {"kind": "stories"}),
        Condition(PAIRS, {"kind": "pairs"}, "control"),
        Condition(LONGER, {"kind": "stories", "steps": 900}, "longer"),
        Condition(NOT_ASKED, {"kind": "pairs, not asked"}, "control"),
        Condition(GPT, {"kind": "gpt"}, "ideal"),
        Condition("untrained", {"kind": "untrained"}, "chance"),
    ),
    runs=5,
    metric=WHOLE,
    label="share of whole continuations that make a possible story",
    criterion=(
        "After three times the steps, in all runs but one: false where BERT ends at least "
        "half of the last sentences rightly and writes whole continuations within 0.05 of GPT's "
        "share; half true where it ends the sentences so, but comes within 0.05 of GPT in at most "
        "one run; true where it ends fewer than a tenth (median)."
    ),
    decide=decide,
)
