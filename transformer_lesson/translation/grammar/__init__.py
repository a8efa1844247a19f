"""A small English and French language, made for the course: sentences with their gold alignment.

`draw_sentence` makes one; `words` gives the words of a text that an alignment counts.
"""

from transformer_lesson.translation.grammar.sentences import Sentence, draw_sentence
from transformer_lesson.translation.grammar.surface import words

__all__ = ["Sentence", "draw_sentence", "words"]
