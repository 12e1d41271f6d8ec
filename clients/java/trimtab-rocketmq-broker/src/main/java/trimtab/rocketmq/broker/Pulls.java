package trimtab.rocketmq.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which queues of this broker nobody asks for messages of, though they are somebody's share.
 *
 * <p>RocketMQ's clients ask for each of their queues at least every 30 s, unless their listener is behind or they
 * are suspended. A client that dies is another matter: its queues are nobody's then.
 */
final class Pulls {
    private static final long IDLE_NS = 120_000_000_000L;

    /** By place: when somebody asked last. */
    private final Map<List<String>, Long> asked = new ConcurrentHashMap<>();
    /** By place: whose it is. */
    private Map<List<String>, Owner> owners = new HashMap<>();

    /** Names a queue of this broker in the eyes of a group. */
    static List<String> place(String group, String topic, String queue) {
        return List.of(group, topic, queue);
    }

    /** Somebody asks for messages. */
    void heard(List<String> place, long now) {
        if (Room.isIn(asked, place)) {
            asked.put(place, now);
        }
    }

    /** Takes whose each place is now; says of which it has become news that nobody asks for it. */
    List<String> look(Map<List<String>, String> shares, long now) {
        Map<List<String>, Owner> before = owners;
        owners = new HashMap<>();
        List<String> news = new ArrayList<>();
        shares.forEach((place, client) -> {
            Owner owner = before.get(place);
            if (owner == null || !owner.client.equals(client)) {
                owner = new Owner(client, now);
            }
            owners.put(place, owner);
            boolean isIdle = now - Math.max(owner.since, asked.getOrDefault(place, owner.since)) > IDLE_NS;
            if (isIdle && !owner.isIdle) {
                news.add(String.join(" ", place) + ", the share of " + client);
            }
            owner.isIdle = isIdle;
        });
        asked.keySet().retainAll(owners.keySet());
        return news;
    }

    private static final class Owner {
        final String client;
        final long since;
        boolean isIdle;

        Owner(String client, long since) {
            this.client = client;
            this.since = since;
        }
    }
}
