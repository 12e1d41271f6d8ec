package trimtab.rocketmq;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.common.message.MessageQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Queue;

/** What the client is answered by a rule of RocketMQ's: by the one that it had, or by {@code AVG}. */
final class Ruled {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    private final Client client;
    private final Map<String, Tries<Queue>> tries = new HashMap<>();
    /** Topics of which the client has not all, and is to ask again. */
    private final Set<String> incomplete = ConcurrentHashMap.newKeySet();
    /** Topics for which the rule has failed lately. */
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    Ruled(Client client) {
        this.client = client;
    }

    /** Whether the client is to ask again, which it does by itself only after 20 s. */
    boolean isIncomplete() {
        return !incomplete.isEmpty();
    }

    /** The client asks about this topic. */
    void forget(String topic) {
        incomplete.remove(topic);
    }

    /** Topics that it does not ask about any more are not waited for. */
    void keepTo(Collection<String> topics) {
        incomplete.retainAll(topics);
    }

    /**
     * Of one topic, which all of these queues are of. What was dropped here goes first, and comes anew; what it cannot
     * begin on is tried more and more rarely.
     */
    synchronized List<MessageQueue> of(AllocateMessageQueueStrategy rule, String group, String clientId,
            List<MessageQueue> queues, List<String> clientIds) {
        String topic = queues.get(0).getTopic();
        List<MessageQueue> all = whole(rule, group, clientId, queues, clientIds);
        Tries<Queue> mine = tries.computeIfAbsent(topic, it -> new Tries<>());
        mine.keepTo(all.stream().map(Client::named).collect(Collectors.toSet()));
        List<MessageQueue> share = new ArrayList<>();
        for (MessageQueue it : all) {
            Queue named = Client.named(it);
            if (!client.has(named)) {
                incomplete.add(topic); // told or not, it may not begin; 4.9 asks again only after 20 s
            }
            if (client.hasDropped(named)) {
                client.wake();
            } else if (mine.isDue(named, client.has(named), System.nanoTime())) {
                share.add(it);
            }
        }
        return share;
    }

    /** All that the rule gives. If it fails, the client keeps what it has, as with RocketMQ alone. */
    List<MessageQueue> whole(AllocateMessageQueueStrategy rule, String group, String clientId,
            List<MessageQueue> queues, List<String> clientIds) {
        String topic = queues.get(0).getTopic();
        try {
            List<MessageQueue> share = rule.allocate(group, clientId, queues, clientIds);
            failed.remove(topic);
            return share == null ? List.of() : share; // RocketMQ takes it for that, too
        } catch (RuntimeException e) {
            if (failed.add(topic)) {
                LOG.error("{}: the strategy {} failed: the consumer keeps what it has of {}",
                        group, rule.getName(), topic, e);
            }
            incomplete.add(topic);
            return client.queuesOf(topic);
        }
    }
}
