package trimtab.rocketmq;

/** What a consumer's share is decided by at this moment. */
public enum State {
    /** By nobody: it was not started yet, or no controller answers. It works on what it still has. */
    WAITING,
    /** By the controller. */
    OBEYING,
    /** By RocketMQ's {@code AVG}, because no controller answers ({@link Fallback#AVG}). */
    ALONE,
    /** By RocketMQ's own rule, for now: not all consumers of the group are attached ({@link Trimtab#attachMoving}). */
    MOVING,
    /** By nobody: it broadcasts, and works on all queues. */
    BROADCASTING,
    /** It has left in good order, and works on nothing. */
    LEFT,
    /** It has left, because its client had stopped asking for messages of a queue ({@link Stall#LEAVE}). */
    STALLED,
    /** Another process has taken its client id. It works on nothing until it is started anew. */
    REPLACED,
    /** It has failed; the log says why. It works on nothing until it is started anew. */
    ABANDONED
}
