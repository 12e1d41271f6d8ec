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

/** Offsets without a broker: it notes what would be sent to one, and may be slow to say that it has no answer. */
final class PlayedOffsets implements OffsetStore {
    final List<Long> sent = Collections.synchronizedList(new ArrayList<>());
    final Map<MessageQueue, Long> known = new HashMap<>();
    volatile int questions;
    volatile long answersAfterMs;

    @Override
    public void load() {
        // there is nothing
    }

    @Override
    public void updateOffset(MessageQueue queue, long offset, boolean increaseOnly) {
        known.put(queue, offset);
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
        try {
            Thread.sleep(answersAfterMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return -2;
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
    public void updateConsumeOffsetToBroker(MessageQueue queue, long offset, boolean isOneway) {
        sent.add(offset);
    }
}
