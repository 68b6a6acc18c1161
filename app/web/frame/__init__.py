"""What every page stands in: templates, navigation, errors, assets."""
