"""RocketMQ's strategies, to the bit: one file each, and the contract they answer by."""
