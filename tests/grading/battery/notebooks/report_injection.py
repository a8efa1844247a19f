# %% [markdown]
# # Texts that a learner chooses reach the reports as text
#
# See also `test_hostile_text.py`.

# %% [markdown]
# ## markup for names and in cells
#
# - causal_mask: error
# - padding_mask: error
# - attention_scores: not attempted


# %% causal_mask
class Odd(Exception):
    def __str__(self):
        raise SystemExit


Odd.__name__ = "<b>passed</b>\x1b"


def causal_mask(queries, keys):
    raise Odd


# %% padding_mask
padding_mask = type("<b>\x1b[1mx</b>", (), {})()

# %% attention_scores
"<script>"
1 / 0


def attention_scores(query, key):
    pass
