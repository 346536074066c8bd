"""From a clinical note, or a list of findings as somebody typed them, to phenotypes."""
