"""From Kafka's records to the brain's events, or to dead letters."""
