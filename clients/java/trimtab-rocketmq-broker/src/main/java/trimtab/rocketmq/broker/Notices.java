package trimtab.rocketmq.broker;

import io.netty.channel.Channel;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.client.ClientChannelInfo;
import org.apache.rocketmq.broker.client.ConsumerGroupInfo;
import trimtab.protocol.PairKey;

/**
 * Has clients ask their broker anew, as the broker itself does when a group changes.
 *
 * <p>A thread of its own tells them, because each may take 10 ms. A client that was not told asks within 20 s.
 */
final class Notices {
    private final BrokerController broker;
    private final Set<PairKey> waiting = new LinkedHashSet<>();

    /** For the clients of a broker; null: none was found, so nobody is told. */
    Notices(BrokerController broker, Troubles troubles) {
        this.broker = broker;
        if (broker != null) {
            Turns.begin("trimtab-notices", this::turn, troubles, "a client was not told of its share");
        }
    }

    /** Tells one client of a group; never waits. */
    void tell(String group, String client) {
        if (broker != null) {
            synchronized (waiting) {
                waiting.add(PairKey.of(group, client));
                waiting.notifyAll();
            }
        }
    }

    /** Tells all clients of some groups. */
    void tellAll(Collection<String> groups) {
        for (String group : groups) {
            ConsumerGroupInfo info = broker == null ? null : broker.getConsumerManager().getConsumerGroupInfo(group);
            if (info != null) {
                info.getAllClientId().forEach(it -> tell(group, it));
            }
        }
    }

    private void turn() throws InterruptedException {
        PairKey next = take();
        notify(next.first, next.second);
    }

    private PairKey take() throws InterruptedException {
        synchronized (waiting) {
            while (waiting.isEmpty()) {
                waiting.wait();
            }
            PairKey next = waiting.iterator().next();
            waiting.remove(next);
            return next;
        }
    }

    /** Over each channel: two processes may have one client id. */
    private void notify(String group, String client) {
        ConsumerGroupInfo info = broker.getConsumerManager().getConsumerGroupInfo(group);
        if (info == null) {
            return;
        }
        for (Map.Entry<Channel, ClientChannelInfo> each : info.getChannelInfoTable().entrySet()) {
            if (client.equals(each.getValue().getClientId())) {
                broker.getBroker2Client().notifyConsumerIdsChanged(each.getKey(), group);
            }
        }
    }
}
