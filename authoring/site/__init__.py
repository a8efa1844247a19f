"""The course as a static site: its pages, and what makes them."""
