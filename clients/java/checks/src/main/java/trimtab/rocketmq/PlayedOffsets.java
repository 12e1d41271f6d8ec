package trimtab.rocketmq;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/** Offsets without a broker: it notes what would be sent to one, and may be slow to say that it has no answer. */
final class PlayedOffsets implements OffsetStore {
    final List<Long> sent = Collections.synchronizedList(new ArrayList<>());
    final Map<MessageQueue, Long> known = new HashMap<>();
    volatile int questions;
    volatile long answersAfterMs;
    /** What its broker says; -1: that it has none, -2: nothing. */
    volatile long stored = -2;
    /** Whether nobody acknowledges what is sent; and how often that was waited for. */
    volatile boolean isDeaf;
    volatile int waits;

    @Override
    public void load() {
        // there is nothing
    }

    @Override
    public void updateOffset(MessageQueue queue, long offset, boolean increaseOnly) {
        known.merge(queue, offset, (before, now) -> increaseOnly ? Math.max(before, now) : now);
    }

    @Override
    public void updateAndFreezeOffset(MessageQueue queue, long offset) {
        known.put(queue, offset);
    }

    @Override
    public long readOffset(MessageQueue queue, ReadOffsetType type) {
        if (type == ReadOffsetType.READ_FROM_MEMORY) {
            return known.getOrDefault(queue, -1L);
        }
        questions++;
        sleep();
        return stored;
    }

    @Override
    public void persistAll(Set<MessageQueue> queues) {
        queues.forEach(this::persist);
    }

    @Override
    public void persist(MessageQueue queue) {
        if (known.containsKey(queue)) {
            sent.add(known.get(queue));
        }
    }

    @Override
    public void removeOffset(MessageQueue queue) {
        known.remove(queue);
    }

    @Override
    public Map<MessageQueue, Long> cloneOffsetTable(String topic) {
        return new HashMap<>(known);
    }

    @Override
    public void updateConsumeOffsetToBroker(MessageQueue queue, long offset, boolean isOneway) throws RemotingException {
        sent.add(offset);
        if (isDeaf && !isOneway) {
            waits++;
            sleep();
            throw new RemotingTimeoutException("played");
        }
    }

    private void sleep() {
        try {
            Thread.sleep(answersAfterMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
