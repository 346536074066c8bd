from python_llm.errors import UserError


class EngineError(UserError):
    """The user must change something before the engine can go on: one sentence, with the remedy."""
