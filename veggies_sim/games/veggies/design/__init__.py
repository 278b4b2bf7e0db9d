"""Card design: measure, make, change, compare, search and print decks. Arrows: design -> deck, game, analysis."""
