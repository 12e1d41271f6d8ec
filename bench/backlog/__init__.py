"""What a controller does with very many records that wait for it, on a real Kafka and Spark."""
