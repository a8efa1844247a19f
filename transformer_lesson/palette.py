"""Every colour of the views, figures, panels and reports; to change one, change it here.

Python reads this file. The style of a view begins with these colours as custom properties
(``--lesson-blue``) and its script with the same names as constants; see ``widgets/view.py``.
"""

# Blue and orange are told apart by readers who cannot tell red from green.
COLOURS = {
    "blue": "#3b8bd0",
    "orange": "#d9720f",
    "light-blue": "#92c5de",
    "light-orange": "#fdb863",
    "yellow": "#ffd54f",
    # Scores that a mask blocks, and tiles of scores.
    "masked": "#bdbdbd",
    "hatch": "#616161",
    "skipped": "#757575",
    "tile-edge": "#424242",
    # Hypotheses that a beam search drops, and lines that only guide the eye.
    "dropped": "#999999",
    "dropped-text": "#666666",
    "guide": "#808080",
    # What stands for JupyterLab's theme in a page that has none.
    "accent": "#1976d2",
    "border": "#999999",
    "faint-border": "#bbbbbb",
    "shade": "#eeeeee",
}

# Verdicts and progress. Only lines and bars have these colours: their contrast is three to one
# against white and against JupyterLab's dark grey. The words carry the meaning by themselves.
PANELS = {"blue": "#2a83bd", "orange": "#c46a12", "grey": "#767676"}

# Lines, dots and words of printed figures, dark enough to be read on white.
FIGURES = {"blue": "#1f6fb0", "orange": "#b35806", "grey": "#6b6b6b"}

# The pages that the grader writes, on a screen of either kind and on paper.
REPORTS = {
    "light": {
        "ground": "#ffffff", "text": "#1d2125", "quiet": "#5a6269", "line": "#d5d9dd",
        "shade": "#f3f5f7", "link": "#00579c", "passed": "#00579c", "failed": "#9c3d00",
        "bar": "#2f7fbf",
    },
    "dark": {
        "ground": "#15181b", "text": "#e4e7ea", "quiet": "#a3abb3", "line": "#3a4148",
        "shade": "#1f2428", "link": "#82bdf2", "passed": "#82bdf2", "failed": "#f2a46b",
        "bar": "#4c93cf",
    },
    "print": {
        "ground": "#ffffff", "text": "#000000", "quiet": "#444444", "line": "#bbbbbb",
        "shade": "#f3f3f3", "link": "#000000", "passed": "#00579c", "failed": "#9c3d00",
    },
}  # fmt: skip

# Amounts, from 0 to the top of the scale: every sixteenth colour of matplotlib's viridis.
VIRIDIS = [
    "#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d",
    "#2c728e", "#26828e", "#21918c", "#1fa088", "#28ae80", "#3fbc73",
    "#5ec962", "#84d44b", "#addc30", "#d8e219", "#fde725",
]  # fmt: skip

# Numbers on both sides of 0: blue below, white at 0, orange above.
BLUE_ORANGE = [
    "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7",
    "#fee0b6", "#fdb863", "#e08214", "#b35806", "#7f3b08",
]  # fmt: skip
