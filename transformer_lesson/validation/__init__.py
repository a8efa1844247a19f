"""Check that arguments fit together; every error names the value, the rule and the fix.

The checks stand apart so that ``attention.py`` shows attention alone.
"""
