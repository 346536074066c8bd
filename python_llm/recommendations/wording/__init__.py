"""How texts are read: phrases, their cues, and the words of orders."""
