"""Multiple-choice questions: importing, typing by rules, reading answers, stemming."""
