package trimtab.transport;

import trimtab.protocol.Topic;

/** What comes from Kafka. The methods are called by several threads. */
public interface Inbox {
    /** A record of a topic that is followed. Key or value may be null. */
    void received(Topic topic, byte[] key, byte[] value);

    /** Kafka has a record. */
    void delivered(long ticket);

    /** A record did not reach Kafka, and will not. */
    void undelivered(long ticket, String reason);

    /** All that was in the log when {@code findEnd(at)} was called has been received. */
    void caughtUp(long at);

    /** Something is wrong that may pass. */
    void trouble(String reason);
}
