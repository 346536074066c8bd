class EngineError(ValueError):
    """The user must change something before the engine can go on: one sentence, with the remedy."""
