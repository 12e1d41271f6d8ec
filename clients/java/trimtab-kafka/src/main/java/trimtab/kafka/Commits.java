package trimtab.kafka;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RetriableException;
import trimtab.Grant;
import trimtab.Member;
import trimtab.Ownership;

/**
 * Writes a group's positions to Kafka, so that no commit outlives the time that it was given.
 *
 * <p>Kafka does not refuse a commit that comes too late: of consumers that subscribe to nothing the last
 * writer wins. So each is given up after a while, and at once when the queue is lost. It says in its metadata
 * under which token and in which life of the member it was made, as {@code trimtab:<token>:<incarnation>}: the
 * same in each language.
 *
 * <p>Its one rule: nothing is sent of a queue that is not owned at that moment, and nothing is on its way when
 * {@link #write} or {@link #withdraw} returns.
 */
final class Commits {
    /** How late a wait notices that a queue is lost: as late as the member's thread. */
    private static final long LOOK_MS = 50;

    private static final String UNANSWERED = "no answer to a commit";
    private static final String LOST = "the queues are others' now";
    private static final String INTERRUPTED = "interrupted";

    private final Member member;
    private final GroupOffsets offsets;
    private final Intake intake;
    /** Held by the thread that writes, until there is an answer. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Held while something is sent or withdrawn, which takes no time. */
    private final Object line = new Object();
    private Sent sent;

    Commits(Member member, GroupOffsets offsets, Intake intake) {
        this.member = member;
        this.offsets = offsets;
        this.intake = intake;
    }

    /**
     * Writes what there is then, and waits until Kafka has it, or another member has the queues; says whether
     * all of that was ours to write.
     */
    boolean write(Supplier<Map<Grant, Long>> look) throws Refused {
        try {
            // Its holder may have to wait twice.
            if (!turn.tryLock(2 * GroupOffsets.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                letGo(UNANSWERED);
                throw new Refused(UNANSWERED, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused(INTERRUPTED, e);
        }
        try {
            return writeInTurn(look.get());
        } finally {
            turn.unlock();
        }
    }

    /** Lets go of what is on its way, if it is about any of these. */
    void withdraw(Collection<Grant> grants) {
        synchronized (line) {
            if (sent != null && !Collections.disjoint(sent.places.keySet(), grants)) {
                letGo(LOST);
            }
        }
    }

    private void letGo(String why) {
        synchronized (line) {
            if (sent != null) {
                sent.withdrawn = why;
                sent = null;
                offsets.drop();
            }
        }
    }

    /** Writes nothing more. */
    void close() {
        synchronized (line) {
            sent = null;
            offsets.close();
        }
    }

    private boolean writeInTurn(Map<Grant, Long> every) throws Refused {
        Map<Grant, Long> places = new HashMap<>(every);
        Sent mine;
        synchronized (line) {
            Ownership owned = member.owned(every.keySet());
            places.keySet().retainAll(owned.grants);
            if (places.isEmpty()) {
                return every.isEmpty();
            }
            Map<TopicPartition, OffsetAndMetadata> signed = new HashMap<>();
            places.forEach((grant, at) -> signed.put(
                    Reading.placeOf(grant), new OffsetAndMetadata(at, "trimtab:" + grant.token + ":" + owned.life)));
            mine = new Sent(places, offsets.write(signed));
            sent = mine;
        }
        try {
            await(mine);
        } finally {
            synchronized (line) {
                sent = null;
            }
        }
        intake.heard(places);
        return places.size() == every.size();
    }

    private void await(Sent mine) throws Refused {
        long late = System.nanoTime() + GroupOffsets.PATIENCE.toNanos();
        try {
            while (true) {
                try {
                    mine.answer.get(LOOK_MS, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    boolean isOurs = member.owned(mine.places.keySet()).grants.size() == mine.places.size();
                    if (!isOurs || System.nanoTime() > late) {
                        String why = isOurs ? UNANSWERED : LOST;
                        letGo(why);
                        throw new Refused(why, e);
                    }
                }
            }
        } catch (ExecutionException e) {
            String why = mine.withdrawn; // then the error is only that of a client that was closed
            if (!isRefusal(e.getCause())) {
                letGo(UNANSWERED); // a client without a good answer may ask the wrong broker
            }
            throw new Refused(why == null ? offsets.reasonOf(e) : why, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            letGo(INTERRUPTED);
            throw new Refused(INTERRUPTED, e);
        }
    }

    /** Whether the right broker has answered, and takes nothing: it would tell another client the same. */
    private static boolean isRefusal(Throwable error) {
        return error instanceof ApiException
                && !(error instanceof RetriableException || error instanceof AuthenticationException);
    }

    /** A commit on its way. */
    private static final class Sent {
        final Map<Grant, Long> places;
        final KafkaFuture<Void> answer;
        /** Why it was let go of; null: it was not. */
        volatile String withdrawn;

        Sent(Map<Grant, Long> places, KafkaFuture<Void> answer) {
            this.places = places;
            this.answer = answer;
        }
    }
}
