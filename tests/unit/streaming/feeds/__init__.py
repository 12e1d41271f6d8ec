"""What the feeds plan, without a Kafka to tell it to."""
