"""Frames of `analysis` in, matplotlib axes out. Computes nothing."""
