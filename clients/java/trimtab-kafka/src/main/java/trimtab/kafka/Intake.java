package trimtab.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import trimtab.Grant;

/**
 * What is read, and what is in hand.
 *
 * <p>The polling thread reads and hands out; the member's callbacks begin and end queues; the keeper asks how
 * far each has come. All of it is guarded by this object, which waits for nothing but the member's word. Its one
 * rule: nothing is handed out of a queue that is given up, lost, paused, or not owned by the clock.
 */
final class Intake {
    private final boolean manual;
    private final Map<TopicPartition, Reading> readings = new HashMap<>();
    /** What the application works on. */
    private final Map<Reading, InHand> inHand = new HashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    /** Where to begin with queues that were sought before it was known where they begin. */
    private final Map<TopicPartition, Long> sought = new HashMap<>();
    /**
     * Where to begin with queues of which Kafka has nothing, and under which grant it was asked last: who loses one
     * and gets it again would decide otherwise, later in its log.
     */
    private final Map<TopicPartition, Grant> decided = new HashMap<>();
    /** Whether the client reads something else than it should. */
    private boolean changed;
    private boolean woken;
    private boolean gone;

    Intake(boolean manual) {
        this.manual = manual;
    }

    /** The application has come back: what it was given is done. */
    synchronized void comeBack() {
        inHand.clear();
    }

    /** The application works on nothing any more, or is not waited for: others get again what is in hand. */
    synchronized void giveUp() {
        gone = true;
    }

    /** What the client is to read from now on; null: the same as before. */
    synchronized Plan plan() {
        if (!changed) {
            return null;
        }
        changed = false;
        Plan plan = new Plan();
        for (Reading reading : readings.values()) {
            if (!reading.ending) {
                plan.places.add(reading.place);
                if (reading.seekTo != null) {
                    plan.seeks.put(reading.place, reading.seekTo);
                    reading.seekTo = null;
                }
                if (paused.contains(reading.place) || reading.astray) { // it would be told in vain, again and again
                    plan.paused.add(reading.place);
                }
            }
        }
        return plan;
    }

    /** Waits until something is to be read, or the time is up. */
    synchronized void await(long timeoutMs) throws InterruptedException {
        if (!changed && !woken && timeoutMs > 0) {
            wait(timeoutMs);
        }
        woken = false;
    }

    /** Ends a wait, or the next one. */
    synchronized void wake() {
        woken = true;
        notifyAll();
    }

    synchronized List<Grant> grants() {
        List<Grant> grants = new ArrayList<>();
        readings.values().stream().filter(it -> !it.ending).forEach(it -> grants.add(it.grant));
        return grants;
    }

    /** Hands out what was read, but what must not be. */
    synchronized <K, V> ConsumerRecords<K, V> handOut(ConsumerRecords<K, V> read, Set<Grant> owned) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> out = new HashMap<>();
        for (TopicPartition place : read.partitions()) {
            Reading reading = readings.get(place);
            if (reading == null || reading.ending) {
                continue;
            }
            if (!owned.contains(reading.grant) || paused.contains(place) || reading.seekTo != null) {
                reading.seekTo = reading.seekTo == null ? (Long) reading.next : reading.seekTo;
                changed = true; // the client is too far
                continue;
            }
            List<ConsumerRecord<K, V>> records = read.records(place);
            InHand hand = new InHand(records.get(0).offset(), records.get(records.size() - 1).offset());
            inHand.put(reading, hand);
            reading.next = hand.last + 1;
            reading.handed = reading.next;
            reading.reached = Math.max(reading.reached, reading.next);
            out.put(place, records);
        }
        if (out.size() == read.partitions().size()) {
            return read;
        }
        Map<TopicPartition, OffsetAndMetadata> nexts = new HashMap<>(read.nextOffsets());
        nexts.keySet().retainAll(out.keySet());
        return new ConsumerRecords<>(out, nexts);
    }

    /** Nothing is in hand of these, and the client has passed what is no message: marks, what was compacted. */
    synchronized void passed(Map<TopicPartition, Long> positions) {
        positions.forEach((place, at) -> {
            Reading reading = readings.get(place);
            if (reading != null && !reading.ending && reading.seekTo == null) {
                reading.next = Math.max(reading.next, at);
            }
        });
    }

    /** The client is to go to what comes next of each: it may be too far. Those that wait for a beginning are paused. */
    synchronized void readAgain() {
        for (Reading reading : readings.values()) {
            if (!reading.astray && reading.seekTo == null) {
                reading.seekTo = reading.next;
            }
        }
        changed = true;
    }

    synchronized void begin(Grant grant, long at, Long committed) {
        TopicPartition place = Reading.placeOf(grant);
        Long wanted = sought.remove(place);
        Reading reading = new Reading(grant, at, committed, manual);
        if (wanted != null) {
            reading.move(wanted);
        }
        readings.put(place, reading);
        changed = true;
        notifyAll();
    }

    /** Hands out no more of these. */
    synchronized void end(Collection<Grant> grants) {
        for (Grant grant : grants) {
            TopicPartition place = Reading.placeOf(grant);
            paused.remove(place);
            sought.remove(place);
            Reading reading = readings.get(place);
            if (reading != null && reading.grant.equals(grant) && !reading.ending) {
                reading.ending = true;
                changed = true;
            }
        }
    }

    /** These are somebody else's. */
    synchronized void forget(Collection<Reading> ended) {
        for (Reading reading : ended) {
            inHand.remove(reading);
            readings.remove(reading.place, reading);
            changed = true;
        }
    }

    synchronized List<Reading> readingsOf(Collection<Grant> grants) {
        List<Reading> found = new ArrayList<>(readings.values());
        found.removeIf(it -> !grants.contains(it.grant));
        return found;
    }

    /** The reading under which a message was handed out, if there is that still; else null. */
    synchronized Reading giverOf(ConsumerRecord<?, ?> record) {
        Reading reading = readings.get(new TopicPartition(record.topic(), record.partition()));
        boolean isForeign = reading == null || record.offset() < reading.began || record.offset() >= reading.reached;
        return isForeign ? null : reading;
    }

    /** The same, of a message that does not come again; else null. */
    synchronized Reading readingOf(ConsumerRecord<?, ?> record) {
        TopicPartition place = new TopicPartition(record.topic(), record.partition());
        Reading reading = readings.get(place);
        boolean isForeign = reading == null || reading.given || record.offset() < reading.began
                || record.offset() >= reading.next;
        return isForeign ? null : reading;
    }

    /** These are done, and so is what came before them in their queues; says of which it still counts. */
    synchronized Set<Reading> done(Map<TopicPartition, ConsumerRecord<?, ?>> lasts) {
        Set<Reading> counted = new HashSet<>();
        for (ConsumerRecord<?, ?> last : lasts.values()) {
            Reading reading = readingOf(last);
            if (reading != null) { // also once the loop is over, until the queue is handed over
                reading.done = Math.max(reading.done, last.offset() + 1);
                InHand hand = inHand.get(reading);
                if (hand != null) {
                    hand.finished = Math.max(hand.finished, last.offset());
                }
                counted.add(reading);
            }
        }
        return counted;
    }

    /** Nobody can read this one: it is done as well, and reading goes on behind it; says of what it still counts. */
    synchronized Set<Reading> pass(TopicPartition place, long offset) {
        Reading reading = readings.get(place);
        if (reading == null || reading.ending || gone || offset < reading.began) {
            return Set.of();
        }
        reading.done = Math.max(reading.done, offset + 1);
        reading.move(Math.max(reading.next, offset + 1));
        changed = true;
        return Set.of(reading);
    }

    /** Where others would have to begin. */
    synchronized long position(Reading reading) {
        InHand hand = inHand.get(reading);
        return manual ? reading.done : Math.max(reading.done, hand == null ? reading.next : hand.first);
    }

    /**
     * Where its heir is to begin; null: the heir is to look anew, for the old place may be one in another log. From then
     * on nothing of it is taken for done.
     */
    synchronized Long positionToGive(Reading reading) {
        reading.given = true;
        return reading.astray ? null : (Long) position(reading);
    }

    /** Whether the application has not finished with something of a queue. */
    synchronized boolean isInHand(Reading reading) {
        InHand hand = inHand.get(reading);
        return !gone && hand != null && hand.finished < hand.last;
    }

    /** Whether something of a queue was handed out, and not committed by hand. */
    synchronized boolean isUncommitted(Reading reading) {
        return manual && !gone && reading.done < reading.handed;
    }

    /**
     * What Kafka is to have; with everything, also what it has already. Null stands for all readings. Of those that
     * are astray it is to have only what the application itself commits while they are its own.
     */
    synchronized Map<Grant, Long> due(boolean everything, Collection<Reading> only) {
        Map<Grant, Long> due = new HashMap<>();
        for (Reading reading : only == null ? readings.values() : only) {
            long at = position(reading);
            if (reading.astray && (only == null || reading.ending)) {
                continue;
            }
            if (reading.isNews(at) || (everything && reading.committed != null && at == reading.committed)) {
                due.put(reading.grant, at);
            }
        }
        return due;
    }

    /** Where these begin, as far as Kafka was asked under them, and had nothing. */
    synchronized Map<Grant, Long> decidedOf(Collection<Grant> grants) {
        Map<Grant, Long> found = new HashMap<>();
        for (Grant grant : grants) {
            Grant known = decided.get(Reading.placeOf(grant));
            if (grant.equals(known)) {
                found.put(grant, known.position);
            }
        }
        return found;
    }

    /** This begins there, or earlier if that was decided before: Kafka has nothing of it. */
    synchronized void decide(Grant grant, long at) {
        Grant before = decided.get(Reading.placeOf(grant));
        long first = before == null ? at : Math.min(at, before.position);
        decided.put(Reading.placeOf(grant), new Grant(grant.queue, grant.token, first, null));
    }

    /** Kafka has these; below 0: nothing. */
    synchronized void heard(Map<Grant, Long> places) {
        places.forEach((grant, at) -> {
            if (at >= 0) {
                decided.remove(Reading.placeOf(grant));
            }
        });
        readingsOf(places.keySet()).forEach(it -> it.hear(places.get(it.grant)));
    }

    /** Those of which it is not known what Kafka has. */
    synchronized List<Reading> unknown() {
        List<Reading> unknown = new ArrayList<>(readings.values());
        unknown.removeIf(it -> it.committed != null);
        return unknown;
    }

    /**
     * Hands out nothing of it, if it is ours. That is asked in turn with what ends a queue: a pause that came after
     * its end would be there when the queue comes again.
     */
    synchronized void pause(TopicPartition place, BooleanSupplier isOurs) {
        changed |= isOurs.getAsBoolean() && paused.add(place);
    }

    synchronized void resume(TopicPartition place) {
        changed |= paused.remove(place);
    }

    /** Reads on elsewhere, if the queue is ours; says whether it is. That is asked in turn, as for a pause. */
    synchronized boolean seek(TopicPartition place, long offset, BooleanSupplier isOurs) {
        if (!isOurs.getAsBoolean()) {
            return false;
        }
        move(place, offset);
        return true;
    }

    private void move(TopicPartition place, long offset) {
        Reading reading = readings.get(place);
        if (reading == null) {
            sought.put(place, offset);
        } else if (!reading.ending) {
            reading.move(offset);
            changed = true;
        }
    }

    /** Kafka does not have the messages of these at which the client is. */
    synchronized void stray(Collection<TopicPartition> places) {
        for (TopicPartition place : places) {
            Reading reading = readings.get(place);
            if (reading != null && reading.seekTo == null) {
                reading.astray = true;
                changed = true;
            }
        }
    }

    /**
     * Reads on elsewhere, unless it does so already. If that is before the old place, its log was cut, or is another
     * one, which ends there. What was handed out says nothing of where one is in it, but before where it was cut, if
     * that is known; else null.
     */
    synchronized void goOn(TopicPartition place, long from, long offset, long end, Long cut) {
        Reading reading = readings.get(place);
        if (reading == null || reading.ending) {
            return; // who comes next looks anew
        }
        reading.astray = false;
        changed = true;
        if (reading.next == from) {
            if (offset < from) {
                inHand.remove(reading);
                reading.enter(offset, end, cut == null ? offset : cut);
            }
            move(place, offset);
        }
    }

    /** What was handed out at once of a queue. */
    private static final class InHand {
        final long first;
        final long last;
        /** The last that was committed since. */
        long finished = -1;

        InHand(long first, long last) {
            this.first = first;
            this.last = last;
        }
    }

    /** What a client is to read: all places, where to go, and what to leave alone. */
    static final class Plan {
        final Set<TopicPartition> places = new HashSet<>();
        final Map<TopicPartition, Long> seeks = new HashMap<>();
        final Set<TopicPartition> paused = new HashSet<>();
    }
}
