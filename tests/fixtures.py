"""Short names for what pytest hands to tests."""

import pytest

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
