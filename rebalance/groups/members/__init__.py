"""Who is in the group: joins, beats, leaves, silence, two lives of one name, RocketMQ clients."""
