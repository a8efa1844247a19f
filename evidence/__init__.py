"""Every claim of the course that depends on chance, training or time: how it was measured, and what
was measured. ``make evidence`` measures again; README.md beside this file is the table of results.
"""
