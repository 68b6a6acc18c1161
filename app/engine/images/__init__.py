"""Pictures from strangers: judged by their bytes before anything decodes them."""
