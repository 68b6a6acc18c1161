"""People who offer computers serving models: profiles, avatars, saved offers, their publication."""
