"""Health of offers: how they do, and which are left alone for a while."""
