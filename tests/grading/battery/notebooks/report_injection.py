# %% [markdown]
# # Texts that a learner chooses reach the reports as text
#
# See also `test_hostile_text.py`.

# %% [markdown]
# ## nasty texts in errors
#
# - all: error

# %% softmax
def softmax(*_):
    raise ValueError("<script>alert(1)</script><img src=x onerror=alert(1)>")


# %% attention_scores
def attention_scores(*_):
    raise ValueError("\x1b[31mred\x1b]0;title\x07\x1b[2J")


# %% attend
def attend(*_):
    raise ValueError('=HYPERLINK("http://x")')


# %% self_attention
def self_attention(*_):
    raise ValueError("\x00\x08\ufffe\ud800")


# %% causal_mask
def causal_mask(*_):
    raise ValueError("]]><testcase/>&amp;")


# %% padding_mask
def padding_mask(*_):
    raise ValueError("[bold red]passed[/] [link=file:///]")


# %% masked_attention
def masked_attention(*_):
    raise ValueError("a\r\nscore: 100\u2028next")


# %% repaired_heads
def repaired_heads(*_):
    raise ValueError("\u202epassed\u2066")


# %% which_bug
def which_bug(*_):
    raise ValueError("" * 3 + "x" * 2**20 + "")


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
