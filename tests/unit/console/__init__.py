"""The command line, its settings, and the parts of the embedded Kafka that need no JVM."""
