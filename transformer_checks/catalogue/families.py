"""Mistakes that people make in many exercises, in the same words wherever they are made.

The slips of an exercise name one, with the edits that make it there and no words of their own.
"""

# What is said of each: the clause that names it, and the sentence that leads on.
# fmt: off
FAMILIES: dict[str, tuple[str, str]] = {
    "a fixed width of 4": (
        "the divisor is always 2 = √4",
        "Read the width from the query's shape."),
    "a fixed width of 64": (
        "the divisor is always 8 = √64",
        "Read the width from the query's shape."),
    "softmax over the queries": (
        "the softmax runs over the queries",
        "Each query shares out one unit of attention over the keys."),
    "softmax over the heads": (
        "the softmax runs over the heads",
        "Each head has a unit of attention of its own for each query."),
    "not scaled": (
        "the scores are not scaled",
        "What are dot products of d_head terms divided by?"),
    "divided by d_head": (
        "the scores are divided by d_head, not by its square root",
        "A sum of d_head terms of variance 1 has a spread of √d_head."),
    "scaled by √d_model": (
        "the divisor is √d_model; the dot product within a head has d_head terms",
        "How wide are the vectors whose dot product is taken?"),
    "padding id fixed at 0": (
        "the padding id is taken to be 0, whatever padding_id says",
        "The id is an argument: use it."),
    "smaller ids taken for padding": (
        "ids below the padding id do not count",
        "Padding is one id. Which comparison says so?"),
    "inverted": (
        "the mask is inverted: True marks what is hidden",
        "In this course True means: may attend."),
    "one mask for the whole batch": (
        "the mask of the first sentence serves the whole batch",
        "The mask broadcasts by itself: it may differ from sentence to sentence."),
    "one mask for all heads": (
        "the mask of the first head serves all heads",
        "The mask broadcasts by itself: it may differ from head to head."),
    "integers": (
        "the mask holds integers, not booleans",
        "A comparison gives a boolean tensor; `.bool()` makes one of numbers."),
    "hides queries instead of keys": (
        "the mask hides queries: real tokens still attend to padding",
        "Padding must not be *read*. Is what is read a query or a key?"),
    "hides queries and keys": (
        "the rows of padded queries are hidden as well",
        "What a padded query computes is never used. Hiding the keys is enough."),
    "value projected as key": (
        "the values are projected as the keys are",
        "Values have a projection of their own."),
    "sum not rescaled": (
        "the sum is not rescaled when the maximum grows",
        "What was summed up before refers to an older maximum. Sum and values both."),
    "weighted values not rescaled": (
        "the weighted values are not rescaled when the maximum grows",
        "What was summed up before refers to an older maximum. Sum and values both."),
    "the tile's own maximum": (
        "the maximum is that of the new tile alone: after a steep fall the factor overflows",
        "The maximum so far counts too."),
    "log of a softmax": (
        "a probability too small for float32 becomes 0, and its logarithm infinite",
        "Take `log_softmax`, or log-sum-exp, in one go."),
    "an axis of one left": (
        "the targets' costs keep an axis of one: beside (batch, tokens) they are repeated",
        "Print the shapes of both before you subtract."),
    "found in a text": (
        "pairs are sought in a text of digits, and found inside longer numbers too",
        "Ids are numbers: compare those, and no number is part of another."),
    "upper triangle": (
        "each query sees itself and the future, not the past",
        "Row 0 belongs to the first query. How many keys may it see?"),
    "mask aligned to the first key": (
        "the new token attends to key 0 alone, as a causal mask of one row would allow",
        "The one query is the *last* token. Which keys may it see?"),
    "finished rows write on": (
        "a row that has ended goes on writing until all others have ended",
        "What should follow the end token in a finished row?"),
    "stops when the first row ends": (
        "all rows stop as soon as one of them has ended",
        "`any` or `all`?"),
    "gain forgotten": (
        "the gain is missing: a gain of 1 hides it",
        "Each column has a factor of its own."),
    "no maximum": (
        "no maximum is subtracted: large scores overflow, very negative ones vanish",
        "The exponentials need the maximum so far."),
    "log-sum-exp without the maximum": (
        "the log-sum-exp is the logarithm of the sum alone",
        "The sum refers to the maximum: what must be added to its logarithm?"),
    "powers of two": (
        "the weights are powers of 2 where they should be powers of e",
        "`tl.exp2` asks for scores times log2(e). Here `tl.exp` will do."),
    "one maximum for all rows": (
        "one maximum is taken from all rows: a row far below it underflows",
        "Take from each row its own maximum."),
    "heads merged without a transpose": (
        "the heads are merged without moving the token axis back",
        "Your `merge_heads` has passed its check. Is it the one that is used here?"),
    "heads split and merged by a view": (
        "heads are split and merged by views: each head is a part of the sentence",
        "Change one token: does every row of the output move?"),
    "root forgotten": (
        "the scores are divided by d_head, not by its root",
        "The spread of a dot product grows like √d_head."),
    "power before division": (
        "the dot products are divided by d_head, and then by 2",
        "A power comes before a division: d ** 1/2 is (d ** 1) / 2. Write d ** 0.5."),
    "one projection for query and key": (
        "the keys are projected with w_query: every score is symmetric",
        "What a token asks and what it answers to are two different things."),
    "no softmax": (
        "the scores are used as weights: they may be negative and sum to anything",
        "Between the scores and the average one step is missing."),
    "0 times -inf": (
        "0 · (-inf) is NaN: where the mask is True the scores are lost",
        "masked_fill or torch.where choose between two numbers, and multiply nothing."),
    "exponent doubled": (
        "the exponent is doubled: the slow pairs hardly turn",
        "If your i counts 0, 2, 4, …, it is already the 2i of the formula."),
    "softmax over the first axis": (
        "the softmax runs over the first axis, which is the batch when there is one",
        "Count axes from the end: the keys are always the last."),
}
