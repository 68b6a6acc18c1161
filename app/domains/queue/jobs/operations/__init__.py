"""Operations: what operators see of the queues, and what they do to them."""
