"""From a model's text to typed records. Nothing here raises for what a model wrote."""
