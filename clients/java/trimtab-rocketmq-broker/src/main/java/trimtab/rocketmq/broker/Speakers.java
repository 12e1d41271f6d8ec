package trimtab.rocketmq.broker;

import io.netty.channel.Channel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.broker.client.ClientChannelInfo;

/**
 * From which addresses each client id sends heartbeats to this broker: by turns from two, it is two processes.
 *
 * <p>A process that connects again speaks from another address from then on, and never from the former one.
 * So who is heard from an address that another one took the place of is not the same process, if both channels are
 * open: a broker that stood still may take up what was said over a closed one after what was said over the next.
 */
final class Speakers {
    /** A client speaks at least once in 30 s; RocketMQ closes a channel after 120 s without a word. */
    private static final long QUIET_NS = 120_000_000_000L;
    /** Two heartbeats. */
    private static final long HEARD_MS = 60_000;
    /** Addresses kept of a client id: more processes than anybody starts under one. */
    private static final int ADDRESSES = 16;

    private final Map<String, Speaker> speakers = new ConcurrentHashMap<>();

    /** A client speaks; says whether two processes have spoken under its id lately. */
    boolean areSeveral(String client, String address, long now) {
        if (!Room.areNames(client) || !Room.isIn(speakers, client)) {
            return false;
        }
        return speakers.computeIfAbsent(client, it -> new Speaker(address)).hear(address, now);
    }

    /** Whether a client id has more than one channel that is open, of those that its broker knows. */
    static boolean areSeveralOpen(Map<Channel, ClientChannelInfo> channels, String client) {
        return channels.entrySet().stream()
                .filter(it -> client.equals(it.getValue().getClientId()) && it.getKey().isActive())
                .skip(1).findAny().isPresent();
    }

    /** Whether a client id has a channel that works: one that was cut looks open until RocketMQ misses four heartbeats. */
    static boolean isHeard(Map<Channel, ClientChannelInfo> channels, String client, long nowMs) {
        return channels.entrySet().stream()
                .filter(it -> client.equals(it.getValue().getClientId()) && it.getKey().isActive())
                .anyMatch(it -> nowMs - it.getValue().getLastUpdateTimestamp() < HEARD_MS);
    }

    /** Forgets clients that have been quiet for long. */
    void forget(long now) {
        speakers.values().removeIf(it -> it.isQuiet(now));
    }

    private static final class Speaker {
        private final Set<String> former = new HashSet<>();
        private String present;
        private long heardAt;
        private Long severalAt;

        Speaker(String address) {
            present = address;
        }

        synchronized boolean hear(String address, long now) {
            heardAt = now;
            if (!address.equals(present)) {
                if (former.remove(address)) {
                    severalAt = now;
                }
                if (former.size() < ADDRESSES) {
                    former.add(present);
                }
                present = address;
            }
            return severalAt != null && now - severalAt < QUIET_NS;
        }

        synchronized boolean isQuiet(long now) {
            return now - heardAt > QUIET_NS;
        }
    }
}
