"""What SQL cannot do for Kernel29: calling providers, composing prompts, parsing answers, publishing."""
