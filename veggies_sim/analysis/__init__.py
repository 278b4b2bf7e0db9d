"""Frames of a run in, small frames of estimates out. Knows no game; computes nothing that a library has."""
