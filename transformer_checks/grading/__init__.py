"""A class of notebooks in, scores and reports out.

The judge stands outside, the learner's code runs inside: each notebook has a process of its own
(``worker``) that runs its cells and answers "call this function with these arrays". Nothing that
happens in that process can give points, because the expected values never enter it.
"""
