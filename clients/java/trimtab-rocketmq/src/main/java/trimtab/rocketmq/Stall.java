package trimtab.rocketmq;

/** What to do when a consumer has not asked its broker for messages of a queue for two minutes. */
public enum Stall {
    /** Say so in the log. RocketMQ's client begins anew with the queue, as it does alone. */
    REPORT,
    /** Say so, and hand all queues to others: {@link State#STALLED}. Its process should be started anew. */
    LEAVE
}
