"""How searches are called in public: `srch_...`, a type and an identifier."""

PREFIX = "srch"
