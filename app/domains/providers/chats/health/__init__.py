"""How offers do, and which are left alone for a while."""
