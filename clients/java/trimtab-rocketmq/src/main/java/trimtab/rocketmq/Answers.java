package trimtab.rocketmq;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.protocol.Queue;

/**
 * What the client was last told to work on, topic by topic.
 *
 * <p>The client's thread asks, and then follows the answer. So while a queue stands in the last answer,
 * it may be about to begin on it, whatever its table says.
 */
final class Answers {
    private final Map<String, Set<Queue>> last = new HashMap<>();
    private final Map<String, Long> times = new HashMap<>();

    synchronized void told(String topic, List<MessageQueue> queues) {
        times.put(topic, System.nanoTime());
        last.put(topic, queues.stream().map(Client::named).collect(Collectors.toSet()));
    }

    synchronized boolean name(Queue queue) {
        return last.getOrDefault(queue.topic, Set.of()).contains(queue);
    }

    /** When it asked about a topic last; long ago, if it never has. */
    synchronized long toldAt(String topic) {
        return times.getOrDefault(topic, Long.MIN_VALUE);
    }

    /** Topics that it does not ask about any more are none that it follows. */
    synchronized void keepTo(Iterable<String> topics) {
        Map<String, Set<Queue>> kept = new HashMap<>();
        topics.forEach(it -> kept.put(it, last.getOrDefault(it, Set.of())));
        last.keySet().retainAll(kept.keySet());
        times.keySet().retainAll(kept.keySet());
    }

    /** It follows no answer with this queue any more. */
    synchronized void forget(Queue queue) {
        last.computeIfPresent(queue.topic, (it, queues) ->
                queues.stream().filter(each -> !each.equals(queue)).collect(Collectors.toSet()));
    }

    synchronized void forget() {
        last.clear();
    }
}
