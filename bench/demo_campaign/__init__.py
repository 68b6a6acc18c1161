"""A campaign over a crawled manual, with honest and dishonest nodes: `make demo-campaign`."""
