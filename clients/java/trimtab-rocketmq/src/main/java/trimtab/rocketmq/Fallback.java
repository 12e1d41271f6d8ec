package trimtab.rocketmq;

/** What a consumer works on while no controller answers it. */
public enum Fallback {
    /** What it has, and nothing if it has nothing: no queue gets two owners. */
    NONE,
    /**
     * After a session without an answer: its share by RocketMQ's {@code AVG}. Clients that the
     * controller does answer, and those that it does not, may then work on the same queues.
     */
    AVG
}
