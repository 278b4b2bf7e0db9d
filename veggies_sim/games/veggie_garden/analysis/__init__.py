"""What Veggie Garden adds to the analysis of a run: kinds, actions, the bonus, and what other boards would change."""
