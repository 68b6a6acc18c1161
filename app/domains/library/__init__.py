"""Pages and the passages they are cut into: what searches are answered from."""
