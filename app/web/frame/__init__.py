"""The frame that every page stands in: templates, navigation, errors, assets."""
