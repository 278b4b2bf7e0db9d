"""Reports: frames and pictures of a run put together as one page."""
