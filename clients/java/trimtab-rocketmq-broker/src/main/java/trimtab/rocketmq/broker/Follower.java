package trimtab.rocketmq.broker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import trimtab.protocol.Assignment;
import trimtab.protocol.JsonReader;
import trimtab.protocol.PairKey;
import trimtab.protocol.UndecodableRecord;
import trimtab.transport.Diagnosis;
import trimtab.transport.Unreachable;

/**
 * Reads what the controller says to the clients, whether it is there, and what other brokers hear.
 *
 * <p>Assignments are read from their beginning, for each client's last one is kept; of a controller only
 * what it has said lately shows that it is there. Its one rule: nothing that goes wrong here ends it.
 */
final class Follower {
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration TURN = Duration.ofMillis(200);
    private static final long RETRY_MS = 1_000;
    private static final String CANNOT_FOLLOW = "the controller cannot be followed";
    private static final long TIDY_NS = 60_000_000_000L;
    /** Queues named in a line of the log. */
    private static final int NAMED = 10;
    /** Where two processes of one name are kept apart, a life stands behind the name. */
    private static final Pattern LIFE = Pattern.compile("@\\d{13}-[0-9a-f]{8}$");

    private final HookSettings settings;
    private final Diagnosis diagnosis;
    private final String broker;
    private final Shares shares;
    private final Copies copies;
    private final Notices notices;
    private final Speakers speakers;
    private final Pulls pulls;
    /** A slave has its master's name, and hears none of the pulls at that. */
    private final BooleanSupplier hearsPulls;
    private final Troubles troubles;
    private final Earshot earshot = new Earshot();
    private final Recency recency = new Recency();
    private final String assignments;
    private final String controllers;
    private final String heartbeats;
    private boolean isOpen;
    private KafkaConsumer<byte[], byte[]> consumer;
    private Map<TopicPartition, Long> ahead = new HashMap<>();
    private List<TopicPartition> said = List.of();
    private long tidiedAt = System.nanoTime();
    private boolean wasCentral = true;

    Follower(
            HookSettings settings,
            String broker,
            Shares shares,
            Copies copies,
            Notices notices,
            Speakers speakers,
            Pulls pulls,
            BooleanSupplier hearsPulls,
            Troubles troubles) {
        this.settings = settings;
        this.diagnosis = new Diagnosis(settings.servers, settings.kafka);
        this.broker = broker;
        this.shares = shares;
        this.copies = copies;
        this.notices = notices;
        this.speakers = speakers;
        this.pulls = pulls;
        this.hearsPulls = hearsPulls;
        this.troubles = troubles;
        this.assignments = settings.prefix + "assignments";
        this.controllers = settings.prefix + "controllers";
        this.heartbeats = settings.prefix + "rocketmq";
        Turns.begin("trimtab-follower", this::turn, troubles, CANNOT_FOLLOW);
    }

    private void turn() throws InterruptedException {
        shares.awake(System.nanoTime());
        try {
            if (!isOpen) {
                open();
                isOpen = true;
            }
            read();
        } catch (Unreachable e) {
            troubles.tell("Kafka cannot be reached", e.getMessage());
            Thread.sleep(RETRY_MS);
        } catch (RuntimeException e) {
            troubles.tell(CANNOT_FOLLOW, diagnosis.of(e));
            Thread.sleep(RETRY_MS);
        } finally {
            look();
        }
    }

    private void open() throws Unreachable {
        Map<String, Object> reading = new HashMap<>();
        reading.put("bootstrap.servers", settings.servers);
        reading.put("enable.auto.commit", false);
        reading.put("auto.offset.reset", "earliest");
        reading.put("allow.auto.create.topics", false);
        reading.put("reconnect.backoff.max.ms", 1_000);
        reading.putAll(settings.kafka);
        try {
            if (consumer == null) {
                consumer = new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            }
        } catch (KafkaException e) {
            throw Unreachable.orWrong(e, diagnosis);
        }
        List<TopicPartition> shared = places(assignments);
        said = places(controllers);
        List<TopicPartition> heard = places(heartbeats);
        ahead = new HashMap<>(consumer.endOffsets(shared, ANSWER));
        List<TopicPartition> all = new ArrayList<>(shared);
        all.addAll(said);
        all.addAll(heard);
        consumer.assign(all);
        consumer.seekToBeginning(shared);
        recency.ask(consumer, said, System::nanoTime);
        consumer.seekToEnd(said);
        seekToTheLast(heard, System.currentTimeMillis() - Earshot.HEARD_FOR_MS);
    }

    private List<TopicPartition> places(String topic) throws Unreachable {
        List<PartitionInfo> found = consumer.partitionsFor(topic, ANSWER);
        if (found == null || found.isEmpty()) {
            throw new Unreachable("topic " + topic + " does not exist: run `trimtab topics init`,"
                    + " or give the controller's prefix (trimtab.prefix)");
        }
        return found.stream().map(it -> new TopicPartition(topic, it.partition())).collect(Collectors.toList());
    }

    private void seekToTheLast(Collection<TopicPartition> places, long sinceMs) {
        Map<TopicPartition, Long> asked = new HashMap<>();
        places.forEach(it -> asked.put(it, sinceMs));
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(asked, ANSWER);
        Map<TopicPartition, Long> ends = consumer.endOffsets(places, ANSWER);
        for (TopicPartition place : places) {
            OffsetAndTimestamp first = found.get(place);
            consumer.seek(place, first == null ? ends.get(place) : first.offset());
        }
    }

    private void read() {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(TURN);
        shares.awake(System.nanoTime()); // as here a turn spends its time
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                if (record.topic().equals(assignments)) {
                    share(record);
                } else if (record.topic().equals(controllers)) {
                    controller(record);
                } else {
                    heartbeat(record);
                }
            } catch (UndecodableRecord e) {
                troubles.tell("a record of " + record.topic() + " was skipped", e.getMessage());
            }
        }
        ahead.entrySet().removeIf(it -> consumer.position(it.getKey(), ANSWER) >= it.getValue());
        if (ahead.isEmpty()) {
            shares.read();
        }
        if (recency.isDue(System.nanoTime())) {
            recency.ask(consumer, said, System::nanoTime);
        }
    }

    private void share(ConsumerRecord<byte[], byte[]> record) {
        PairKey about = PairKey.read(record.key());
        String client = LIFE.matcher(about.second).replaceFirst("");
        Assignment said = record.value() == null ? null : Assignment.read(record.value());
        if (shares.post(about.first, client, said, System.nanoTime())) {
            notices.tell(about.first, client);
        }
    }

    private void controller(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return;
        }
        Long since = recency.since(new TopicPartition(record.topic(), record.partition()), record.offset());
        Object status = JsonReader.read(new String(record.value(), StandardCharsets.UTF_8));
        Object role = status instanceof Map ? ((Map<?, ?>) status).get("role") : null;
        if (since != null && status instanceof Map && "controller".equals(((Map<?, ?>) status).get("kind"))
                && (role == null || "active".equals(role))) {
            shares.heard(since);
        }
    }

    private void heartbeat(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            return;
        }
        String client = new String(record.key(), StandardCharsets.UTF_8);
        String by = header(record, Copies.BY);
        String group = header(record, Copies.LOST);
        boolean isMine = copies.hasSigned(by);
        if (header(record, Copies.GONE) != null) {
            if (isMine) {
                earshot.end(client);
            }
        } else if (header(record, Copies.AGAIN) != null) {
            return; // it was heard where it stands first
        } else if (group == null) {
            earshot.heard(client, by == null ? "" : by, record.timestamp());
            if (earshot.isEnding(client, System.currentTimeMillis()) && record.value() != null) {
                copies.again(client, record.value()); // it is back, and its end comes after that
            }
        } else if (by != null && earshot.lost(client, by, record.timestamp()) && isMine) {
            earshot.begin(client, System.currentTimeMillis());
            copies.gone(client, group);
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header found = record.headers().lastHeader(name);
        return found == null || found.value() == null ? null : new String(found.value(), StandardCharsets.UTF_8);
    }

    private static String named(List<String> stalled) {
        String first = stalled.stream().limit(NAMED).collect(Collectors.joining("; "));
        return stalled.size() > NAMED ? first + "; and " + (stalled.size() - NAMED) + " more" : first;
    }

    /** Notices that the controller's word counts no more, or again, and tidies up. */
    private void look() {
        long now = System.nanoTime();
        boolean isCentral = shares.isCentral(now);
        if (isCentral != wasCentral) {
            wasCentral = isCentral;
            troubles.note(isCentral
                    ? "a controller is there again: its shares count"
                    : "no controller was heard for " + settings.patience.toSeconds()
                            + " s: this broker shares the queues out by itself");
            notices.tellAll(shares.groups());
        }
        if (now - tidiedAt > TIDY_NS) {
            tidiedAt = now;
            shares.forgetGone(now);
            earshot.forget(System.currentTimeMillis());
            speakers.forget(now);
            List<String> unknown = shares.unknown(now);
            if (!unknown.isEmpty()) {
                troubles.tell("the controller does not know these clients of groups that it shares out, so they get no queues:"
                        + " is the group in trimtab.groups of all brokers, or does it refuse their heartbeats", named(unknown));
            }
            List<String> stalled = hearsPulls.getAsBoolean() ? pulls.look(shares.pulled(broker, now), now) : List.of();
            if (!stalled.isEmpty()) {
                troubles.tell("nobody asks for the messages of queues that are a client's share, for two minutes: its"
                        + " listener is behind, it is suspended or stands still, it reads from a slave, or it does not"
                        + " follow its broker (setClientRebalance(false))", named(stalled));
            }
        }
    }
}
