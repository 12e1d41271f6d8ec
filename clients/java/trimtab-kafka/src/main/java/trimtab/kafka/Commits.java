package trimtab.kafka;

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

    private final Member member;
    private final GroupOffsets offsets;
    private final Intake intake;
    /** Held by the thread that writes, until there is an answer. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Held while something is sent or withdrawn, which takes no time. */
    private final Object line = new Object();
    private KafkaFuture<Void> sent;

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
                withdraw();
                throw new Refused("no answer to a commit", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused("interrupted", e);
        }
        try {
            return writeInTurn(look.get());
        } finally {
            turn.unlock();
        }
    }

    /** Lets go of what is on its way. */
    void withdraw() {
        synchronized (line) {
            if (sent != null) {
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
        KafkaFuture<Void> answer;
        synchronized (line) {
            Ownership owned = member.owned(every.keySet());
            places.keySet().retainAll(owned.grants);
            if (places.isEmpty()) {
                return every.isEmpty();
            }
            Map<TopicPartition, OffsetAndMetadata> signed = new HashMap<>();
            places.forEach((grant, at) -> signed.put(
                    Reading.placeOf(grant), new OffsetAndMetadata(at, "trimtab:" + grant.token + ":" + owned.life)));
            answer = offsets.write(signed);
            sent = answer;
        }
        await(answer, places);
        intake.heard(places);
        return places.size() == every.size();
    }

    private void await(KafkaFuture<Void> answer, Map<Grant, Long> places) throws Refused {
        long late = System.nanoTime() + GroupOffsets.PATIENCE.toNanos();
        try {
            while (true) {
                try {
                    answer.get(LOOK_MS, TimeUnit.MILLISECONDS);
                    synchronized (line) {
                        sent = null;
                    }
                    return;
                } catch (TimeoutException e) {
                    boolean isOurs = member.owned(places.keySet()).grants.size() == places.size();
                    if (!isOurs || System.nanoTime() > late) {
                        withdraw();
                        throw new Refused(isOurs ? "no answer to a commit" : "the queues are others' now", e);
                    }
                }
            }
        } catch (ExecutionException e) {
            withdraw(); // a client without a good answer may ask the wrong broker
            throw new Refused(offsets.reasonOf(e), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            withdraw();
            throw new Refused("interrupted", e);
        }
    }
}
