package trimtab;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.KafkaException;
import trimtab.guard.Guard;
import trimtab.guard.Post;
import trimtab.protocol.Assignment;
import trimtab.protocol.Limits;
import trimtab.protocol.Queue;
import trimtab.protocol.Release;
import trimtab.protocol.Topic;
import trimtab.protocol.UndecodableRecord;
import trimtab.session.Action;
import trimtab.session.Ending;
import trimtab.session.Incarnation;
import trimtab.session.MemberSession;
import trimtab.session.Profile;
import trimtab.transport.Diagnosis;
import trimtab.transport.Inbox;
import trimtab.transport.KafkaTransport;
import trimtab.transport.Unreachable;

/**
 * One member of one group: the shell around a {@link MemberSession}.
 *
 * <p>One thread reads, beats and watches the clock; another tells the listener. It decides nothing; it
 * only knows what time it is. {@link #start} returns at once. The threads keep the process alive until
 * the member has left, so that a queue is not given up half-way: {@link #leave} before you end.
 */
public final class Member implements Inbox {
    /** The longest wait for a record: how late a deadline may be noticed. */
    private static final long POLL_MS = 50;
    /** Between two tries to connect. */
    private static final long RETRY_MS = 1_000;
    /** Time for what is still to be sent when the member ends. */
    private static final Duration CLOSE = Duration.ofSeconds(2);

    private final Clock clock = new Clock();
    private final MemberListener listener;
    private final KafkaTransport transport;
    private final Thread thread = new Thread(this::run, "trimtab-member");
    private final Running running;
    private final Teller teller;
    private final byte[] groupKey;
    private final Address address;
    private Profile profile;

    // Guarded by this object, which is never held while a listener runs, nor for longer than a deaf guard takes.
    private final Guard guard;
    private MemberSession session;
    private Long leaveWithin;
    private final Watch watch;
    private final Errands errands;

    public Member(
            String group, String memberId, List<String> topics, MemberOptions options, MemberListener listener) {
        this(group, memberId, topics, options, listener, options.transport());
    }

    /** One whose way to Kafka has been {@linkplain KafkaTransport#prepare prepared} with the same options. */
    public Member(
            String group,
            String memberId,
            List<String> topics,
            MemberOptions options,
            MemberListener listener,
            KafkaTransport transport) {
        this.listener = listener;
        this.profile =
                new Profile(
                        Limits.demandGroup(group),
                        Limits.demandName("memberId", memberId),
                        Limits.demandTopics(topics),
                        options.sessionTimeout.toMillis(),
                        options.revocationTimeout.toMillis(),
                        options.instance,
                        "trimtab-java");
        this.groupKey = group.getBytes(StandardCharsets.UTF_8);
        this.address = new Address(group, memberId);
        this.running = new Running(options.revocationTimeout);
        this.teller = new Teller(running, error -> fail("a callback failed", error));
        this.watch = new Watch(
                memberId + " in " + group, options, text -> teller.tell("onTrouble", () -> listener.onTrouble(text)));
        this.transport = transport;
        this.guard = new Guard(
                new Post(options.servers, group, options.prefix, options.sessionTimeout, options.kafka, options.guardKafka),
                this::trouble);
        this.errands = new Errands(guard, transport, teller, listener, watch, clock, this::owned);
    }

    /** Begins to join; returns at once. */
    public void start() {
        teller.start();
        thread.start();
    }

    /** The grants that are valid at this moment. */
    public synchronized List<Grant> assignment() {
        if (session == null) {
            return List.of();
        }
        passTime();
        return session.working();
    }

    /** The same, and those that the application was told to stop and has not finished. */
    public synchronized List<Grant> unreleased() {
        List<Grant> grants = new ArrayList<>(assignment());
        if (session != null) {
            grants.addAll(session.revoking());
        }
        return grants;
    }

    /** Whether the member may work on a queue at this moment: ask before you begin on something. */
    public synchronized boolean holds(Queue queue) {
        if (session == null) {
            return false;
        }
        passTime();
        return session.isWorkingOn(queue);
    }

    /** The grant of a queue that is valid at this moment: worked on, or not yet released. */
    public synchronized Optional<Grant> grant(Queue queue) {
        if (session == null) {
            return Optional.empty();
        }
        passTime();
        return Optional.ofNullable(session.grantOf(queue));
    }

    /** Which of these grants are valid at this moment: worked on, or not yet released. */
    public synchronized Ownership owned(Collection<Grant> grants) {
        if (session == null) {
            return Ownership.NONE;
        }
        passTime();
        Set<Grant> mine = new HashSet<>(grants);
        mine.removeIf(it -> !session.owns(it));
        Long finishBy = session.finishBy(mine);
        Duration left = finishBy == null ? null : Duration.ofMillis(finishBy - clock.now());
        return new Ownership(mine, session.incarnation(), left);
    }

    /** What the controller grants for a revocation; before it has answered, what was asked for. */
    public synchronized Duration revocationTimeout() {
        return Duration.ofMillis(session == null ? profile.revocationTimeoutMs : session.revocationTimeoutMs());
    }

    /** Whether the controller has answered this life: it is a member, whatever it has. */
    public synchronized boolean isAnswered() {
        return session != null && session.isAnswered() && errands.ending == null;
    }

    /** How it ended; null: it has not. */
    public synchronized Ending ending() {
        return errands.ending;
    }

    /** Wants these topics from now on. What it has of them stays where it is. */
    public synchronized void subscribe(List<String> topics) {
        if (!topics.equals(profile.topics)) {
            profile = profile.withTopics(Limits.demandTopics(topics));
            if (session != null) {
                perform(session.want(profile, clock.now()));
            }
        }
    }

    /**
     * The application has stopped working under revoked grants: at these positions, or null.
     *
     * @throws IllegalArgumentException one is less than 0, as some clients' word for none: no reader takes such a record
     */
    public synchronized void finish(Map<Grant, Long> positions) {
        positions.forEach((grant, at) -> {
            if (at != null && at < 0) {
                throw new IllegalArgumentException("finish: " + at + " is no position of " + grant.queue
                        + ": 0 at least, or null where the next owner is to find it");
            }
        });
        if (session != null) {
            perform(session.finish(positions, clock.now()));
        }
    }

    /**
     * Begins to leave, and returns at once. Queues that have an heir go to it at once; the rest is
     * worked on until each has one, or the time is up.
     */
    public synchronized void leave(Duration timeout) {
        leaveWithin = Waits.millis(timeout);
        if (session != null) {
            perform(session.stop(clock.now(), leaveWithin, false));
        }
        notifyAll(); // it may be waiting to connect again
    }

    /**
     * Waits until the member has ended and its listener was told everything; returns whether both came in time and
     * the end was orderly. Called by the listener itself, it returns false.
     */
    public boolean join(Duration timeout) throws InterruptedException {
        long until = clock.now() + Waits.millis(timeout);
        thread.join(Math.max(1, until - clock.now())); // 0 would be for ever
        boolean isTold = teller.join(until - clock.now());
        return isTold && !thread.isAlive() && (ending() == null || ending() == Ending.LEFT);
    }

    @Override
    public synchronized void received(Topic topic, byte[] key, byte[] value) {
        try {
            long now = clock.now();
            if (topic == Topic.ASSIGNMENTS && address.has(key, session)) {
                Assignment told = value == null ? null : Assignment.read(value);
                if (address.counts(key, told, session)) {
                    errands.react(session, session.receive(told, now));
                }
            } else if (topic == Topic.RELEASES && Arrays.equals(key, groupKey) && value != null) {
                errands.react(session, session.hear(Release.read(value), now));
            }
        } catch (UndecodableRecord e) {
            trouble("a record of " + topic.suffix() + " was skipped: " + e.getMessage());
        }
    }

    @Override
    public synchronized void delivered(long ticket) {
        watch.delivered(clock.now());
        errands.react(session, session.acknowledged(ticket, clock.now()));
    }

    @Override
    public synchronized void undelivered(long ticket, String reason) {
        trouble("a record did not reach Kafka: " + reason);
        errands.react(session, session.failed(ticket, clock.now()));
    }

    @Override
    public synchronized void caughtUp(long at) {
        errands.react(session, session.caughtUp(at, clock.now()));
    }

    @Override
    public synchronized void trouble(String reason) {
        watch.trouble(reason, clock.now());
    }

    private void run() {
        try {
            guard.start(); // without the lock, for it may take a moment: nobody else comes to it yet
            connect();
            while (turn()) {
                // each turn waits for records
            }
        } catch (Throwable e) { // also an Error: who has no thread owns nothing
            fail(e instanceof KafkaException && Diagnosis.isWrong(e)
                    ? "an option of Kafka's is wrong, and stays so until the program is corrected"
                    : "the member failed", e);
        } finally {
            Thread.interrupted(); // or no client would close
            try {
                transport.close(CLOSE);
            } finally {
                synchronized (this) {
                    if (errands.ending == Ending.LEFT) {
                        guard.dismiss(); // any other end is told when the process is dead
                    }
                }
                teller.finish();
            }
        }
    }

    private void connect() throws InterruptedException {
        while (true) {
            try {
                transport.open(profile.group, this);
                begin();
                return;
            } catch (Unreachable e) {
                trouble(e.getMessage());
            }
            synchronized (this) {
                if (endUnheard()) {
                    return;
                }
                wait(RETRY_MS);
            }
        }
    }

    /** Ends what was to leave before it was a member, for nobody has heard of it; says whether it is over. */
    private synchronized boolean endUnheard() {
        if (leaveWithin != null && errands.ending == null) {
            errands.ending = Ending.LEFT;
        }
        return errands.ending != null;
    }

    private synchronized void begin() {
        String life = Incarnation.first(System.currentTimeMillis(), ThreadLocalRandom.current().nextInt());
        profile = profile.withGuard(guard.stands());
        session = new MemberSession(profile, life, clock.now());
        endUnheard();
    }

    private boolean turn() {
        boolean ask;
        long now;
        long waitMs;
        synchronized (this) {
            if (errands.ending != null) {
                return false;
            }
            now = clock.now();
            perform(session.tick(now));
            watch.look(session.isAnswered(), now);
            watch.slow(running.tooLong(revocationTimeout()), now);
            errands.listen(session);
            ask = errands.findEnd;
            errands.findEnd = false;
            waitMs = Math.max(0, Math.min(session.wakeAt() - now, POLL_MS));
        }
        if (ask) {
            transport.findEnd(now);
        }
        transport.poll(waitMs);
        return true;
    }

    /** Asked for each message: nothing changes by time alone before the session is to be woken. */
    private void passTime() {
        long now = clock.now();
        if (now >= session.wakeAt()) {
            perform(session.tick(now));
        }
    }

    private void perform(List<Action> actions) {
        errands.perform(session, actions);
    }

    /** Ends at once, and loses all queues: whether the application has stopped is not known. */
    public synchronized void fail(String what, Throwable error) {
        try {
            if (session != null) {
                perform(session.abort(clock.now()));
            }
        } finally {
            errands.ending = errands.ending == null ? Ending.ABANDONED : errands.ending;
            notifyAll(); // it may be waiting to connect again
            watch.failed(what, error);
        }
    }
}
