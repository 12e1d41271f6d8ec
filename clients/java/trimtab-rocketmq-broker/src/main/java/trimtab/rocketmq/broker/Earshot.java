package trimtab.rocketmq.broker;

import java.util.HashMap;
import java.util.Map;

/**
 * Which brokers hear each client, as the log says: so that the last one to lose it says that it is gone.
 *
 * <p>A client has a channel to every broker. One that closes may mean that the client is dead, or that only
 * this broker has lost it. All hooks read the same log in the same order, so exactly one finds that it was the last.
 * Used by one thread.
 */
final class Earshot {
    /**
     * RocketMQ's own time for a client that is silent, {@code channelExpiredTimeout}: so long a broker hears it, however
     * seldom it sends a heartbeat ({@code heartbeatBrokerInterval}; by default each 30 s).
     */
    static final long HEARD_FOR_MS = 120_000;
    /** What is not in the log by then never comes: {@code Copies} gives up after ten seconds. */
    static final long WRITTEN_MS = 15_000;

    private final Map<String, Map<String, Long>> heard = new HashMap<>();
    /** Those whose end this hook has written, and not read yet; and when. */
    private final Map<String, Long> ending = new HashMap<>();

    /** A broker has heard a client; one that finds no room is ended by its silence alone. */
    void heard(String client, String broker, long now) {
        if (!Room.areNames(client) || !Room.isIn(heard, client)) {
            return;
        }
        heard.computeIfAbsent(client, it -> new HashMap<>()).put(broker, now);
    }

    /** A broker has lost a client; says whether no other one hears it. */
    boolean lost(String client, String broker, long now) {
        if (!Room.isIn(heard, client)) {
            return false; // others may hear it
        }
        Map<String, Long> by = heard.getOrDefault(client, new HashMap<>());
        by.remove(broker);
        by.values().removeIf(it -> now - it > HEARD_FOR_MS);
        if (by.isEmpty()) {
            heard.remove(client);
        }
        return by.isEmpty();
    }

    /** This hook writes that a client is gone. */
    void begin(String client, long now) {
        ending.put(client, now);
    }

    /** It has read that. */
    void end(String client) {
        ending.remove(client);
    }

    /** Whether what a client says now stands before its end in the log, so that nobody would know of it. */
    boolean isEnding(String client, long now) {
        Long begun = ending.get(client);
        return begun != null && now - begun <= WRITTEN_MS;
    }

    /** Forgets clients that nobody has heard for long, and ends that Kafka did not take. */
    void forget(long now) {
        ending.values().removeIf(begun -> now - begun > WRITTEN_MS);
        heard.values().removeIf(by -> by.values().stream().allMatch(it -> now - it > HEARD_FOR_MS));
    }
}
