package trimtab.kafka;

import java.util.List;
import trimtab.Grant;

/**
 * Hears of what becomes of a consumer. It only hears: nothing has to be done in any of these.
 *
 * <p>They come one at a time, from threads of the consumer's own, and delay hand-overs: be short. An
 * exception ends the consumer.
 */
public interface ConsumerListener {
    /** New queues, before their first message. */
    default void onGranted(List<Grant> grants) {}

    /**
     * Queues that are given up, when the loop works on nothing of them any more: the last time to
     * {@link TrimtabConsumer#commit commit} by hand.
     */
    default void onRevoked(List<Grant> grants) {}

    /** Queues that are somebody else's already: what is in hand of them is read again there. */
    default void onLost(List<Grant> grants) {}

    /** Something is wrong that may pass: what, where, and what to do. The log has it, too. */
    default void onTrouble(String text) {}
}
