"""What SQL cannot do: calling providers, composing prompts, parsing answers, publishing."""
