"""What design tools of any game share: printing in whole micrometres, goals and races of candidates. Knows no game."""
