package trimtab.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.Member;
import trimtab.protocol.Queue;
import trimtab.rocketmq.Sides.Side;
import trimtab.session.Ending;

/**
 * A thread that looks after queues that leave, and after the consumer's end.
 *
 * <p>Its one rule: if it fails, the member fails. Without it nothing would be released, and the member would beat on.
 */
final class Keeper {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    /** How often to look whether a queue has left the client's table. */
    private static final long LOOK_MS = 5;
    /** How often to look whether the consumer is shut down: until that is seen nobody works on its queues. */
    private static final long IDLE_MS = 20;
    /**
     * How soon the client is reminded of what it has not done: its broker was away, or had locked a queue for somebody
     * else, or the one that it asked for the consumers of the group did not answer. By itself it tries again after 20 s.
     */
    private static final long REMIND_NS = 1_000_000_000L;
    /** Who has had no queue for so long may ask why. */
    private static final long IDLE_NS = 15_000_000_000L;
    /** Who subscribes nothing that it may work on for so long is not about to subscribe something else. */
    private static final long ALOOF_NS = 10_000_000_000L;

    private final Client client;
    private final Departures departures;
    private final Answers answers;
    private final Routes routes;
    private final Stalls stalls;
    private final Alone alone;
    private final Sides sides;
    private final Ruled ruled;
    private final Duration revocationTimeout;
    private final Object news = new Object();
    private volatile boolean hasSaidThatTheyAreRefused;
    /** What the member wants. */
    private volatile List<String> followed = List.of();
    private boolean hasShutDown;
    private boolean hasLeft;
    private long remindAt;
    /** Since when it has had no queue; 0: it has had one, or has been told that it has none. */
    private long idleSince;
    /** Since when it subscribes nothing that it may work on; 0: it does. */
    private long aloofSince;

    Keeper(Client client, Departures departures, Answers answers, Stalls stalls, Alone alone, Sides sides,
            Ruled ruled, Duration revocationTimeout) {
        this.client = client;
        this.departures = departures;
        this.answers = answers;
        this.routes = new Routes(client);
        this.stalls = stalls;
        this.alone = alone;
        this.sides = sides;
        this.ruled = ruled;
        this.revocationTimeout = revocationTimeout;
    }

    /** Begins; at the end of the member it is over, and says so. */
    void start(Member member, Runnable over) {
        Thread thread = new Thread(() -> {
            try {
                run(member);
            } finally {
                over.run();
            }
        }, "trimtab-rocketmq");
        thread.setDaemon(true); // the member's thread stays until it has left
        thread.start();
    }

    /**
     * The consumer subscribes these, which are some. If they are refused, those count that it had before, and has still;
     * returns whether there are any.
     */
    boolean follow(Member member, List<String> topics) {
        keepTo(topics);
        try {
            want(member, topics);
            hasSaidThatTheyAreRefused = false;
            return true;
        } catch (IllegalArgumentException e) { // RocketMQ allows names and numbers that trimtab does not
            if (!hasSaidThatTheyAreRefused) {
                hasSaidThatTheyAreRefused = true;
                LOG.error("{}: what this consumer has subscribed last is not worked on: {}", client.group(), e.getMessage());
            }
            List<String> still = new ArrayList<>(followed);
            still.retainAll(topics);
            if (!still.isEmpty()) {
                want(member, still);
            }
            return !still.isEmpty();
        }
    }

    private void want(Member member, List<String> topics) {
        member.subscribe(topics);
        followed = topics;
    }

    /** Looks at once. */
    void hurry() {
        synchronized (news) {
            news.notifyAll();
        }
    }

    private void run(Member member) {
        remindAt = System.nanoTime();
        idleSince = remindAt;
        try {
            while (member.ending() == null) {
                look(member);
                rest();
            }
        } catch (Throwable e) { // also an Error, also of RocketMQ's: who has no keeper releases nothing
            member.fail("the thread that looks after the consumer's queues failed", e);
        }
        sides.end();
        if (member.ending() != Ending.LEFT) {
            LOG.error("{}: the consumer works on nothing any more, until it is started anew",
                    member.ending() == Ending.REPLACED
                            ? "another process has taken its client id: give each its own by setInstanceName"
                            : "its member has failed");
        }
        client.wake(); // whatever ended it, nothing is ours any more
    }

    private void look(Member member) {
        if (client.isShutDown() && !hasShutDown) {
            hasShutDown = true;
            answers.forget(); // it asks no more
            client.giveUp();
            member.leave(Duration.ZERO);
        }
        if (stalls.hasLeft() && !hasLeft) {
            hasLeft = true;
            member.leave(revocationTimeout);
        }
        if (sides.side() != Side.THEIRS) {
            departures.takeAway(client.isSuspended(), member.revocationTimeout());
        }
        departures.look(member::finish, sides.side() == Side.THEIRS);
        if (System.nanoTime() - remindAt > REMIND_NS) {
            remindAt = System.nanoTime();
            follow(member);
            remind(member);
        }
        boolean wasAlone = alone.is();
        if (alone.look(member) != wasAlone || sides.look(member.isAnswered())) {
            client.wake();
        }
    }

    private void remind(Member member) {
        Set<Queue> grants = member.assignment().stream().map(it -> it.queue).collect(Collectors.toSet());
        boolean isWhole = grants.stream().allMatch(it -> client.has(it) && !client.hasDropped(it));
        boolean isDone = isWhole && departures.isEmpty();
        if ((!isDone && sides.side() == Side.OURS) || ruled.isIncomplete()) {
            client.wake();
        }
        routes.look(grants);
        idleSince = grants.isEmpty() || idleSince == 0 ? idleSince : 0;
        if (idleSince != 0 && remindAt - idleSince > IDLE_NS && member.isAnswered()) {
            idleSince = 0;
            LOG.info("the controller has given this consumer no queue: `trimtab groups explain -- '{}'` says"
                    + " why, for instance that it does not know the topics", client.group());
        }
    }

    /** Who has unsubscribed all that it may have works on nothing any more, and a member has topics; so it leaves. */
    private void follow(Member member) {
        List<String> topics = client.topics();
        if (topics.isEmpty()) {
            keepTo(topics);
        } else if (follow(member, topics)) {
            aloofSince = 0;
            return;
        }
        aloofSince = aloofSince == 0 ? System.nanoTime() : aloofSince;
        if (System.nanoTime() - aloofSince > ALOOF_NS && !hasLeft) {
            hasLeft = true;
            LOG.warn("this consumer of {} subscribes nothing any more that it may work on: it leaves, and works on"
                    + " nothing until it is started anew", client.group());
            member.leave(revocationTimeout);
        }
    }

    private void keepTo(List<String> topics) {
        answers.keepTo(topics);
        sides.keepTo(topics);
        ruled.keepTo(topics);
    }

    private void rest() throws InterruptedException {
        synchronized (news) {
            news.wait(departures.isEmpty() ? IDLE_MS : LOOK_MS);
        }
    }
}
