"""Commands that ask and open citations."""
