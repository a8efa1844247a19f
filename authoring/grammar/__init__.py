"""A small English and French language, made for the course: sentences with their gold alignment."""

from authoring.grammar.sentences import Sentence, draw_sentence

__all__ = ["Sentence", "draw_sentence"]
