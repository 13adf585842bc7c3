"""Jobs as the API asks for them: what they are told, and how the workers hear of them."""
