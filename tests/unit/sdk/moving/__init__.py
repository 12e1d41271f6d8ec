"""Moving between Kafka's own protocol and trimtab."""
