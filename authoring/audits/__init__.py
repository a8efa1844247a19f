"""Look for holes in the checks that nobody thought of.

``python -m authoring.audits.inputs`` finds what never varies among the cases of an exercise,
``python -m authoring.audits.frozen`` answers that do not read an argument and pass, and
``python -m authoring.audits.diagnoses`` names that do not explain what they are given for. What
wrong answers pass is found by ``python -m authoring.mutation``. Each takes parts of exercises'
names, shows progress, goes on where it was stopped, and ends with exit code 1 if there is
something to mend. What they found is kept in ``results/``.
"""
