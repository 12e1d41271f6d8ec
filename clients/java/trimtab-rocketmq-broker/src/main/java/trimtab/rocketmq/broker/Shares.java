package trimtab.rocketmq.broker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import trimtab.protocol.Assignment;
import trimtab.protocol.HolderRow;
import trimtab.protocol.JsonWriter;
import trimtab.protocol.Queue;

/**
 * What the controller has each client work on, as the broker's answers to it, ready to be sent.
 *
 * <p>While a controller was heard lately, its word counts, also after it has gone: so its restart moves
 * nothing. After that the broker answers by itself, for all clients of all groups. Before all was read and a
 * controller was heard, and to a client that it has not met yet, the answer is "none": the client keeps what it
 * has, and asks again in a second. So a broker that begins contradicts no other one, whichever way these answer. A group without members is nobody's: so a group is moved for all brokers at once,
 * there and back, whichever of them copies its heartbeats. Its one rule: an answer costs two look-ups.
 */
final class Shares {
    // RocketMQ's names of the two ways to get messages.
    private static final String PULL = "PULL";
    private static final String POP = "POP";
    private static final byte[] NONE_YET = "{}".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NO_QUEUES = answer(PULL, List.of());
    /** For so long a client that is no member any more is told to drop everything. */
    private static final long GONE_NS = 600_000_000_000L;
    /**
     * For so long a broker that begins may read before it takes a group that it is not told of for nobody's: that may be
     * on its way back, and have members yet. No longer, because others have no part in this, and Kafka may be away.
     */
    private static final long READING_NS = 30_000_000_000L;

    private final long patienceNs;
    private final long begunAt;
    private final Predicate<String> follows;
    private final Map<String, Map<String, Share>> groups = new ConcurrentHashMap<>();
    /** Of groups that may be on Kafka: clients that are to have nothing, until a queue of theirs names a broker. */
    private final Map<String, Map<String, Share>> idle = new ConcurrentHashMap<>();
    private final Map<String, Long> strangers = new ConcurrentHashMap<>();
    /** By client and group: who asks, and is no member of a group that has some. */
    private final Map<List<String>, Unknown> unknown = new ConcurrentHashMap<>();
    private volatile boolean complete;
    private volatile boolean isHeard;
    /** When a controller was heard last; before that, when this began. */
    private volatile long heardAt;
    private long awakeAt;

    /** Begins with patience, and with the groups that it is asked about. */
    Shares(long patienceNs, Predicate<String> follows, long now) {
        this.patienceNs = patienceNs;
        this.follows = follows;
        this.begunAt = now;
        this.heardAt = now;
        this.awakeAt = now;
    }

    /** The answer to a client; null: the broker's own. */
    byte[] answer(String group, String client, String topic, long now) {
        if (!isCentral(now)) {
            return null;
        }
        Map<String, Share> known = groups.get(group);
        if (known == null) {
            return follows.test(group) ? answerStrangers(group, now) : answerOthers(now);
        }
        boolean isReady = complete && isHeard;
        Share share = isReady ? known.get(client) : null;
        if (share == null && isReady && Room.isIn(unknown, List.of(client, group))) {
            unknown.computeIfAbsent(List.of(client, group), it -> new Unknown(now)).askedAt = now;
        }
        return share == null ? NONE_YET : share.answers.getOrDefault(topic, NO_QUEUES);
    }

    /** Clients that ask for as long as the hook's patience, in vain, while others of their group are answered; each once. */
    List<String> unknown(long now) {
        unknown.values().removeIf(it -> now - it.askedAt > patienceNs);
        List<String> news = new ArrayList<>();
        unknown.forEach((named, it) -> {
            if (!it.isTold && it.askedAt - it.since > patienceNs) {
                it.isTold = true;
                news.add(String.join(" of ", named));
            }
        });
        return news;
    }

    /** Of a group whose heartbeats are copied, and that the controller has not answered, or cannot. */
    private byte[] answerStrangers(String group, long now) {
        if (!Room.isIn(strangers, group)) {
            return null;
        }
        long since = strangers.computeIfAbsent(group, it -> now);
        return now - since > patienceNs ? null : NONE_YET;
    }

    /** Of a group whose heartbeats are not copied, and that has no members that are known of. */
    private byte[] answerOthers(long now) {
        return complete || now - begunAt > READING_NS ? null : NONE_YET;
    }

    /** Whether the controller's word counts. */
    boolean isCentral(long now) {
        return now - heardAt <= patienceNs;
    }

    /** Notes that this process runs. One that stood still for long knows no more of a controller than one that begins. */
    void awake(long now) {
        if (isHeard && now - awakeAt > patienceNs) {
            isHeard = false;
            heardAt = now;
        }
        awakeAt = now;
    }

    /** Notes that a controller was at work then, or later. What may be from before this began shows nothing. */
    void heard(long since) {
        if (since - heardAt >= 0) {
            heardAt = since;
            isHeard = true;
        }
    }

    /** Notes that all that was published has been read. */
    void read() {
        complete = true;
    }

    /** Takes what a client is to work on; null: it is no member. Says whether that is news. */
    boolean post(String group, String client, Assignment assignment, long now) {
        Share share = assignment == null ? new Share(now) : new Share(assignment);
        Map<String, Share> known = groups.get(group);
        if (known == null) {
            if (!share.isOfBrokers()) {
                setAside(group, client, share);
                return false; // nobody's yet, or a group on Kafka
            }
            known = groups.computeIfAbsent(group, it -> new ConcurrentHashMap<>());
            Map<String, Share> others = idle.remove(group);
            known.putAll(others == null ? Map.of() : others);
            strangers.remove(group);
        }
        Share before = known.put(client, share);
        unknown.remove(List.of(client, group));
        if (share.goneAt != 0 && known.values().stream().allMatch(it -> it.goneAt != 0)) {
            groups.remove(group);
        }
        return before == null || !before.isLike(share);
    }

    private void setAside(String group, String client, Share share) {
        if (share.goneAt == 0 && share.queues.isEmpty() && share.popped.isEmpty()) {
            idle.computeIfAbsent(group, it -> new ConcurrentHashMap<>()).put(client, share);
        } else {
            idle.computeIfPresent(group, (it, clients) -> {
                clients.remove(client);
                return clients.isEmpty() ? null : clients;
            });
        }
    }

    /** The groups that have members. */
    Set<String> groups() {
        return groups.keySet();
    }

    /** Whether a group has members. */
    boolean know(String group) {
        return groups.containsKey(group);
    }

    /**
     * Whether a client that repeats itself is to say all again: the controller has not heard it, has given it up, or asks;
     * or this broker has none of what a group with members subscribes.
     */
    boolean needAll(Heartbeat heartbeat, Predicate<String> isWithout) {
        return heartbeat.isRepeated && heartbeat.client != null && heartbeat.groups.stream()
                .anyMatch(it -> follows.test(it) && !isHeard(it, heartbeat.client) || know(it) && isWithout.test(it));
    }

    private boolean isHeard(String group, String client) {
        Map<String, Share> known = groups.getOrDefault(group, idle.getOrDefault(group, Map.of()));
        Share share = known.get(client);
        return share != null && share.goneAt == 0 && !share.isAsked;
    }

    /** Whose each queue of a broker is that is pulled; nobody's, while the controller's word does not count. */
    Map<List<String>, String> pulled(String broker, long now) {
        Map<List<String>, String> found = new HashMap<>();
        if (isCentral(now)) {
            groups.forEach((group, known) -> known.forEach((client, share) -> share.queues.stream()
                    .filter(it -> it.broker.equals(broker) && !share.popped.contains(it))
                    .forEach(it -> found.put(Pulls.place(group, it.topic, String.valueOf(it.id)), client))));
        }
        return found;
    }

    /** Forgets clients that have been gone for long. */
    void forgetGone(long now) {
        for (Map<String, Share> known : groups.values()) {
            known.values().removeIf(it -> it.goneAt != 0 && now - it.goneAt > GONE_NS);
        }
    }

    private static byte[] answer(String mode, List<Queue> queues) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Queue queue : queues) {
            Map<String, Object> named =
                    Map.of("topic", queue.topic, "brokerName", queue.broker, "queueId", queue.id);
            rows.add(Map.of("messageQueue", named, "mode", mode));
        }
        Map<String, Object> body = Map.of("messageQueueAssignments", rows);
        return JsonWriter.write(body).getBytes(StandardCharsets.UTF_8);
    }

    private static final class Unknown {
        final long since;
        volatile long askedAt;
        boolean isTold;

        Unknown(long since) {
            this.since = since;
        }
    }

    /** One client's. What it is to give it gives at once: it knows no releases. */
    private static final class Share {
        final Map<String, byte[]> answers = new HashMap<>();
        final Set<Queue> queues = new HashSet<>();
        final Set<Queue> popped = new HashSet<>();
        /** When it was no member any more; 0: it is one. */
        final long goneAt;
        /** Whether the controller knows only what it holds, and not what it subscribes. */
        final boolean isAsked;

        Share(long goneAt) {
            this.goneAt = goneAt;
            isAsked = false;
        }

        /** Of a topic that is shared it pops, also while it still owns a queue of that by an older target. */
        Share(Assignment said) {
            goneAt = 0;
            isAsked = said.joinAgain;
            put(PULL, said.hold, queues);
            put(POP, said.shared, popped);
        }

        private void put(String mode, List<HolderRow> rows, Set<Queue> all) {
            Map<String, List<Queue>> byTopic = new HashMap<>();
            for (HolderRow row : rows) {
                all.add(row.queue);
                byTopic.computeIfAbsent(row.queue.topic, it -> new ArrayList<>()).add(row.queue);
            }
            byTopic.forEach((topic, named) -> answers.put(topic, answer(mode, named)));
        }

        /** Queues of Kafka's have no broker. */
        boolean isOfBrokers() {
            return Stream.concat(queues.stream(), popped.stream()).anyMatch(it -> !it.broker.isEmpty());
        }

        boolean isLike(Share other) {
            return queues.equals(other.queues) && popped.equals(other.popped);
        }
    }
}
