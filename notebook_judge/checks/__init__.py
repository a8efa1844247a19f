"""An exercise as a value, the call of an answer, and the judge of what came back."""
