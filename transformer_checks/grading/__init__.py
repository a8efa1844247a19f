"""The doors that teachers use."""
