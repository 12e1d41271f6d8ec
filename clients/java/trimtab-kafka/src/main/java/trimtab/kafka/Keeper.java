package trimtab.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import trimtab.Grant;
import trimtab.Member;
import trimtab.Waits;

/**
 * A thread that commits, begins and ends queues.
 *
 * <p>So the application's thread does nothing but read, and idle queues are looked after while it works. Its
 * one rule: nothing is committed of which it is not known what Kafka has, so that no offset goes back.
 */
final class Keeper {
    /** Between two looks: how late a question is asked again. */
    private static final long ROUND_MS = 250;
    /** A question without an answer is asked again so soon; nothing waits for it but what asks. */
    private static final long ASK_AGAIN_MS = 500;
    /** Between two looks whether the topics exist. The first is sooner; a controller grants what is there by then. */
    private static final long AROUND_MS = 60_000;
    private static final long FIRST_AROUND_MS = 5_000;

    private final ConsumerOptions options;
    private final Member member;
    private final Intake intake;
    private final GroupOffsets offsets;
    private final Commits commits;
    private final Telling telling;
    private final Departures departures;
    /** Has the reader look what is to be read: it may wait for messages of other queues. */
    private final Runnable wake;
    private final Semaphore hurry = new Semaphore(0);
    private final Thread thread = new Thread(this::run, "trimtab-consumer");
    /** Grants of which it is not known yet where to begin. */
    private final Map<TopicPartition, Grant> unbegun = new HashMap<>();
    private long askAgainAt = now();
    private long commitAt;
    private long recommitAt;
    private long aroundAt;
    private volatile List<String> topics;
    private volatile boolean over;

    Keeper(ConsumerOptions options, Member member, Intake intake, GroupOffsets offsets, Commits commits,
            Telling telling, Runnable wake) {
        this.options = options;
        this.topics = options.topics;
        this.member = member;
        this.intake = intake;
        this.offsets = offsets;
        this.commits = commits;
        this.telling = telling;
        this.wake = wake;
        this.departures = new Departures(member, intake, commits, telling);
        thread.setDaemon(true); // the member's thread stays until it has left
    }

    void start() {
        commitAt = now() + Waits.millis(options.commitInterval);
        recommitAt = now() + Waits.millis(options.recommitInterval);
        aroundAt = now() + FIRST_AROUND_MS;
        telling.start(this::fail);
        thread.start();
    }

    /** Looks at once. */
    void hurry() {
        if (hurry.availablePermits() == 0) {
            hurry.release();
        }
    }

    void stop() {
        over = true;
        telling.stop();
        hurry();
    }

    /** Ends, unless a listener does not come back in time. */
    void finish(Duration timeout) throws InterruptedException {
        stop();
        long began = now();
        thread.join(timeout.toMillis());
        telling.finish(Duration.ofMillis(Math.max(1, timeout.toMillis() - (now() - began))));
    }

    /** The application has come back: a hand-over may have waited for that. */
    void cameBack() {
        if (!departures.isEmpty()) {
            hurry();
        }
    }

    /** Looks whether these topics exist, instead of those before. */
    void follow(List<String> others) {
        topics = List.copyOf(others);
    }

    /** Finds where to begin with these. */
    void begin(List<Grant> grants) {
        synchronized (unbegun) {
            grants.forEach(it -> unbegun.put(Reading.placeOf(it), it));
        }
        hurry();
    }

    /**
     * Hands these over when the application has finished with them; nothing of them is handed out any more. Of those
     * that are not begun it was decided where that would be.
     */
    void end(List<Grant> grants, Map<Grant, Long> whereToBegin) {
        departures.begin(grants, whereToBegin);
        hurry();
    }

    /** These are somebody else's. */
    void lose(List<Grant> grants) {
        forget(grants);
        departures.forget(grants);
    }

    /** Whether a hand-over waits for the application. */
    boolean isAwaited() {
        return departures.isAwaited();
    }

    /** Asks what Kafka has of these, which was not known. */
    void learn(Collection<Reading> readings) throws Refused {
        List<TopicPartition> places = new ArrayList<>();
        readings.forEach(it -> places.add(it.place));
        GroupOffsets.Ends found = offsets.committed(places);
        Map<Grant, Long> heard = new HashMap<>();
        for (Reading it : readings) {
            if (found.at.containsKey(it.place) || found.none.contains(it.place)) {
                heard.put(it.grant, found.at.getOrDefault(it.place, -1L));
            }
        }
        intake.heard(heard);
        found.demandAll();
    }

    /** Begins none of these any more: not even one at which it is at this moment. Says where some would have begun. */
    Map<Grant, Long> forget(Collection<Grant> grants) {
        synchronized (unbegun) {
            unbegun.values().removeAll(grants);
        }
        return intake.decidedOf(grants);
    }

    private void run() {
        while (!over) {
            try {
                hurry.tryAcquire(Math.min(ROUND_MS, Waits.millis(options.commitInterval)), TimeUnit.MILLISECONDS);
                hurry.drainPermits();
                look();
            } catch (Throwable e) { // of the listener, also an interrupt: nobody knows what it has done
                fail(e);
            }
        }
    }

    private void fail(Throwable error) {
        over = true;
        member.fail("the consumer failed, or its listener", error);
    }

    private void look() throws InterruptedException {
        departures.look(this::learn);
        if (now() >= askAgainAt) {
            ask(this::beginQueues);
            ask(() -> learn(intake.unknown()));
            ask(this::lookAround);
        }
        if (now() >= Math.min(commitAt, recommitAt)) {
            commit();
        }
    }

    /** Asks this; what has no answer keeps no other question back. */
    private void ask(Question question) {
        try {
            question.ask();
        } catch (Refused e) {
            if (!over) {
                askAgainAt = now() + ASK_AGAIN_MS;
                telling.troubleOnce(e.getMessage());
            }
        }
    }

    private void commit() {
        boolean everything = now() >= recommitAt;
        commitAt = now() + Waits.millis(options.commitInterval);
        if (everything) {
            recommitAt = now() + Waits.millis(options.recommitInterval);
        }
        try {
            commits.write(() -> intake.due(everything, null));
        } catch (Refused e) {
            telling.troubleOnce("could not commit, will try again: " + e.getMessage());
        }
    }

    /** Begins where the group stopped, or else decides where, and commits that before anything. */
    private void beginQueues() throws Refused {
        Map<TopicPartition, Grant> grants = new HashMap<>();
        synchronized (unbegun) {
            member.owned(unbegun.values()).grants.forEach(it -> grants.put(Reading.placeOf(it), it));
        }
        if (grants.isEmpty()) {
            return;
        }
        GroupOffsets.Ends committed = offsets.committed(grants.keySet());
        Map<Grant, Long> known = new HashMap<>();
        committed.at.forEach((place, at) -> known.put(grants.get(place), at));
        intake.heard(known);
        beginAt(known);
        grants.keySet().retainAll(committed.none);
        GroupOffsets.Ends firsts = decide(grants);
        Map<Grant, Long> begun = intake.decidedOf(grants.values());
        commits.write(() -> stillUnbegun(begun));
        beginAt(begun);
        committed.demandAll();
        firsts.demandAll();
    }

    /** Decides where to begin, once: what is written before Kafka has that is read as well. */
    private GroupOffsets.Ends decide(Map<TopicPartition, Grant> grants) throws Refused {
        Map<TopicPartition, Grant> undecided = new HashMap<>(grants);
        undecided.values().removeAll(intake.decidedOf(grants.values()).keySet());
        GroupOffsets.Ends firsts = offsets.first(undecided.keySet());
        firsts.at.forEach((place, at) -> intake.decide(grants.get(place), at));
        return firsts;
    }

    private void beginAt(Map<Grant, Long> places) {
        Map<Grant, Long> begun;
        synchronized (unbegun) {
            begun = stillUnbegun(places);
            begun.forEach((grant, at) -> {
                unbegun.remove(Reading.placeOf(grant));
                intake.begin(grant, at, at);
            });
        }
        if (!begun.isEmpty()) {
            wake.run();
        }
    }

    private Map<Grant, Long> stillUnbegun(Map<Grant, Long> places) {
        Map<Grant, Long> still = new HashMap<>(places);
        synchronized (unbegun) {
            still.keySet().retainAll(unbegun.values());
        }
        return still;
    }

    /** Sees whether the topics exist. Routes may come from a file, so what is owned is there. */
    private void lookAround() throws Refused {
        if (now() < aroundAt) {
            return;
        }
        aroundAt = now() + AROUND_MS;
        Collection<String> absent = new TreeSet<>(offsets.absent(topics));
        member.assignment().forEach(it -> absent.remove(it.queue.topic));
        if (!absent.isEmpty()) {
            telling.troubleOnce("no topic " + String.join(", ", absent) + " on Kafka at " + options.member.servers()
                    + ": the consumer waits, and reads it as soon as it exists: create it, or check the topics");
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private interface Question {
        void ask() throws Refused;
    }
}
