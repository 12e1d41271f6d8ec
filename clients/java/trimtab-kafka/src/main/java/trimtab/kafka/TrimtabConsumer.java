package trimtab.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.serialization.Deserializer;
import trimtab.Grant;
import trimtab.Member;
import trimtab.Waits;
import trimtab.protocol.Queue;
import trimtab.session.Ending;

/**
 * A member of a group that reads its share of Kafka itself.
 *
 * <pre>{@code
 * ConsumerOptions options = ConsumerOptions.of("kafka-1:9092", "billing", "orders");
 * try (TrimtabConsumer<String, String> consumer =
 *         new TrimtabConsumer<>(options, new StringDeserializer(), new StringDeserializer())) {
 *     while (consumer.isRunning()) {
 *         consumer.poll(Duration.ofSeconds(1)).forEach(record -> handle(record));
 *     }
 * }
 * }</pre>
 *
 * <p>What {@link #poll} gave is done, and may be committed, when the loop has come back to it. One thread
 * polls; any thread may call the rest, but {@link #close}.
 */
public final class TrimtabConsumer<K, V> implements AutoCloseable {
    /** Time for what is still to be sent when the member ends. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    /** Between two looks whether the listener comes back. */
    private static final long LOOK_NS = 1_000_000_000L;

    private final ConsumerOptions options;
    private final String name;
    private final Intake intake;
    private final Telling telling;
    private final Member member;
    private final Commits commits;
    private final Keeper keeper;
    private final KafkaReader<K, V> reader;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Loop loop = new Loop();
    private final LoopWatch watch;
    private boolean started;
    private long lookedAt = System.nanoTime();
    private volatile boolean stopping;
    /** Whether the loop has come back after a stop: all that it was given is done. */
    private volatile boolean over;
    private volatile StuckException stuck;

    /**
     * Says who reads what. It joins with the first {@link #poll}.
     *
     * @throws IllegalArgumentException a setting contradicts, or would lose messages
     */
    public TrimtabConsumer(ConsumerOptions options, Deserializer<K> keys, Deserializer<V> values) {
        this.options = options;
        this.name = options.name();
        this.intake = new Intake(options.manual);
        this.telling = new Telling(name, options);
        this.reader = new KafkaReader<>(options, intake, telling, keys, values);
        Follower follower = new Follower(intake, telling, reader::wake);
        this.member = new Member(options.group, name, options.topics, options.member, follower);
        GroupOffsets offsets = new GroupOffsets(options);
        this.commits = new Commits(member, offsets, intake);
        this.keeper = new Keeper(options, member, intake, offsets, commits, telling, reader::wake);
        follower.follow(keeper, commits);
        this.watch = new LoopWatch(this::lookAtLoop, error -> member.fail("the watch over the loop failed", error));
    }

    /**
     * Reads on; what it gave the last time is done. It waits for messages until the time is up, and gives none
     * after {@link #stop}.
     *
     * @throws ConsumerFailedException the consumer has ended by itself
     * @throws IllegalStateException another thread works on what was handed out, or it is closed
     */
    public ConsumerRecords<K, V> poll(Duration timeout) {
        enter();
        loop.begin();
        boolean some = false;
        try {
            intake.comeBack();
            keeper.cameBack();
            if (!started && !stopping) {
                started = true;
                keeper.start();
                watch.start();
                member.start();
            }
            ConsumerRecords<K, V> records = read(System.nanoTime() + Waits.millis(timeout) * 1_000_000);
            some = !records.isEmpty();
            return records;
        } finally {
            loop.end(some);
        }
    }

    /** Whether to poll again: it is over when poll was asked after {@link #stop}. */
    public boolean isRunning() {
        return !over;
    }

    /** Ends the loop in good order: what is in hand is finished, and committed by {@link #close}. */
    public void stop() {
        stopping = true;
        reader.wake();
    }

    /**
     * The same, and waits until the loop's own thread has closed it: for a shutdown hook.
     *
     * @return whether it was closed in time
     */
    public boolean stop(Duration timeout) {
        stop();
        try {
            return closed.await(Waits.millis(timeout), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /**
     * All these are done, and so is all before them in their queues: commits, and waits for Kafka.
     *
     * @return whether all of them counted; those of a queue that went to others meanwhile do not
     * @throws CommitException Kafka does not take it, or does not say so in some seconds
     */
    public boolean commit(Iterable<ConsumerRecord<K, V>> records) {
        Map<TopicPartition, ConsumerRecord<?, ?>> lasts = new HashMap<>();
        for (ConsumerRecord<K, V> record : records) {
            lasts.merge(new TopicPartition(record.topic(), record.partition()), record,
                    (one, other) -> one.offset() > other.offset() ? one : other);
        }
        Set<Reading> counted = intake.done(lasts);
        return commitDone(counted) && counted.size() == lasts.size();
    }

    /**
     * Reads on behind a message that the deserializer does not take: it is done, and so is all before it in its
     * queue. Commits that, and waits for Kafka.
     *
     * @return whether it counted; that of a queue that went to others meanwhile does not
     * @throws CommitException Kafka does not take it, or does not say so in some seconds
     */
    public boolean pass(RecordDeserializationException unreadable) {
        Set<Reading> counted = intake.pass(unreadable.topicPartition(), unreadable.offset());
        reader.wake();
        return commitDone(counted) && !counted.isEmpty();
    }

    /**
     * The token under which a message was handed out: write it with your effects. It grows with every owner.
     *
     * @throws IllegalStateException the queue is not this consumer's any more, or was others' meanwhile
     */
    public long token(ConsumerRecord<K, V> record) {
        Reading reading = intake.giverOf(record);
        if (reading == null || member.owned(Set.of(reading.grant)).grants.isEmpty()) {
            throw new IllegalStateException(record.topic() + "-" + record.partition() + " went to others");
        }
        return reading.grant.token;
    }

    /** Whether a hand-over waits for what is in hand, or not committed: finish it soon. */
    public boolean isAwaited() {
        return keeper.isAwaited();
    }

    /** What it owns at this moment. */
    public List<Grant> assignment() {
        return member.assignment();
    }

    /** Wants these topics from now on, instead of those before; what both have stays. */
    public void subscribe(List<String> topics) {
        ConsumerOptions.demandTopics(topics);
        keeper.follow(topics);
        reader.follow(topics);
        member.subscribe(topics);
    }

    /** Hands out nothing of a queue that it owns until {@link #resume}, or until the queue goes to others. */
    public void pause(TopicPartition place) {
        intake.pause(place, () -> owns(place));
        reader.wake();
    }

    /** Goes on with it. */
    public void resume(TopicPartition place) {
        intake.resume(place);
        reader.wake();
    }

    /**
     * Reads on at another offset. What is committed does not go back with it.
     *
     * @throws IllegalStateException the queue is not this consumer's
     * @throws IllegalArgumentException the offset is less than 0
     */
    public void seek(TopicPartition place, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("seek: " + offset + " is no offset: the first one is 0");
        }
        if (!intake.seek(place, offset, () -> owns(place) || telling.tellsOf(queue(place)))) {
            throw new IllegalStateException("seek: " + place + " is not this consumer's");
        }
        reader.wake();
    }

    /** How it is: for probes, from any thread. */
    public Health health() {
        List<Queue> queues = new ArrayList<>();
        assignment().forEach(it -> queues.add(it.queue));
        Duration since = loop.away();
        boolean isSlow = telling.isSlow(member.revocationTimeout());
        boolean comesBack = stuck == null && since.compareTo(options.maxPollInterval) <= 0 && !isSlow;
        boolean ready = member.isAnswered() && comesBack;
        return new Health(ready, queues, since, telling.lastTrouble());
    }

    /**
     * Commits what is done, hands over, leaves, and waits for that; called by the thread that polls. What is in
     * hand goes to others: it is done only if the loop has come back after {@link #stop}.
     *
     * @throws IllegalStateException another thread works on what was handed out: it is told to {@link #stop}
     */
    @Override
    public void close() {
        if (closed.getCount() == 0) {
            return;
        }
        try {
            enter();
        } catch (IllegalStateException e) { // a framework calls it by another thread: the loop ends in good order
            stop();
            throw new IllegalStateException(e.getMessage() + ". It is told to stop; from another thread call"
                    + " stop(Duration), which waits for the loop to close the consumer", e);
        }
        stopping = true;
        over = true;
        intake.giveUp();
        boolean interrupted = Thread.interrupted(); // by shutdownNow(), for instance: it leaves in good order
        try {
            if (started) {
                member.leave(Duration.ZERO);
                keeper.hurry();
                member.join(options.member.revocationTimeout().plus(FAREWELL));
                keeper.finish(FAREWELL);
            }
        } catch (InterruptedException e) {
            interrupted = true; // once more: it waits for nothing
        } finally {
            watch.stop();
            keeper.stop();
            end(interrupted);
        }
    }

    /** Ends what is the process's own; a client that is closed by an interrupted thread would not end. */
    private void end(boolean interrupted) {
        try {
            commits.close();
            reader.close();
        } finally {
            closed.countDown();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private ConsumerRecords<K, V> read(long until) {
        long leftMs;
        do {
            checkFailure();
            lookAtListener();
            if (stopping) {
                over = true;
                return ConsumerRecords.empty();
            }
            leftMs = Math.max(0, (until - System.nanoTime() + 999_999) / 1_000_000);
            ConsumerRecords<K, V> records = reader.read(leftMs);
            loop.goOn();
            if (!records.isEmpty() && !stopping) {
                records = intake.handOut(records, member.owned(intake.grants()).grants);
                if (!records.isEmpty()) {
                    return records;
                }
            }
        } while (leftMs > 0);
        return ConsumerRecords.empty();
    }

    private boolean commitDone(Set<Reading> counted) {
        keeper.hurry();
        try {
            List<Reading> unknown = new ArrayList<>(counted);
            unknown.removeIf(it -> it.committed != null);
            boolean isAll;
            try {
                keeper.learn(unknown);
            } finally { // one of which Kafka does not say it keeps no other back
                isAll = commits.write(() -> intake.due(false, counted));
            }
            return isAll;
        } catch (Refused e) {
            throw new CommitException("not committed: " + e.getMessage(), e.getCause());
        }
    }

    /** By this thread, because the keeper may be the one that waits for it. */
    private void lookAtListener() {
        if (System.nanoTime() - lookedAt > LOOK_NS) {
            lookedAt = System.nanoTime();
            telling.isSlow(member.revocationTimeout());
        }
    }

    private void enter() {
        if (closed.getCount() == 0) {
            throw new IllegalStateException("the consumer is closed");
        }
        loop.enter();
    }

    private void checkFailure() {
        if (stuck != null) {
            throw stuck;
        }
        Ending ending = member.ending();
        if (ending != null) {
            String whose = "\"" + name + "\" of group " + options.group;
            throw new ConsumerFailedException(ending == Ending.REPLACED
                    ? "a younger process has taken the name " + whose
                    : "the member " + whose + " has failed: the log says why");
        }
    }

    private boolean owns(TopicPartition place) {
        return member.holds(queue(place));
    }

    private static Queue queue(TopicPartition place) {
        return new Queue(place.topic(), "", place.partition());
    }

    /** Has others go on if the loop does not come back; called by the watch. */
    private void lookAtLoop(Duration rest) {
        loop.forgive(rest);
        Duration away = loop.away();
        if (stuck == null && !over && member.ending() == null && away.compareTo(options.maxPollInterval) > 0) {
            stuck = new StuckException("the loop has not come back for " + away.toSeconds()
                    + " s (maxPollInterval): its queues go to others");
            intake.giveUp();
            member.leave(Duration.ZERO);
            keeper.hurry();
            telling.troubleOnce(stuck.getMessage());
        }
    }
}
