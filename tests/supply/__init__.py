"""What the product is made of: known weaknesses of its dependencies, and the list of them."""
