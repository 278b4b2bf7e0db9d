"""What Veggies adds to the analysis of a run: goods, rats, cards, and what other decks would change."""
