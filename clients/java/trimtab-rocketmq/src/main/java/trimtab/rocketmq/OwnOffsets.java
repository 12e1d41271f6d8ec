package trimtab.rocketmq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.store.LocalFileOffsetStore;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets of one consumer, of which only those are sent to a broker whose queues are its own at that moment.
 *
 * <p>RocketMQ sends all of them every five seconds, and one with each pull. So a process that was frozen, and wakes when its queues are
 * others', would send at once what it had reached before, and their offsets would go back. It is asked by the clock,
 * whether or not the consumer has noticed yet.
 */
final class OwnOffsets implements OffsetStore {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** So long a broker that has not answered is not waited for. RocketMQ waits for five seconds. */
    private static final long DEAF_NS = 30_000_000_000L;
    /**
     * So long a broker is not asked again for an offset, after one question took RocketMQ's five seconds and had no answer:
     * each queue of it would take as long, and meanwhile the client gives no queue of another broker back.
     */
    private static final long SILENT_NS = 10_000_000_000L;
    /** Who is refused at once, as by a broker that is not there, has waited for nothing. */
    private static final long WAITED_NS = 1_000_000_000L;
    /** What RocketMQ's store says if it does not know. */
    private static final long NO_ANSWER = -2;
    private static final long NONE = -1;
    /** A broker does not take where a queue begins. */
    private static final long REFUSED = -3;
    /** What brokers answer for a queue of which a group has committed nothing: QUERY_NOT_FOUND in both releases. */
    private static final int NOT_FOUND = 22;
    /** So often at most brokers are told of the group besides its heartbeats. */
    private static final long GREETED_NS = 5_000_000_000L;

    private final Client client;
    private final Predicate<MessageQueue> isOurs;
    private final Predicate<MessageQueue> isForgotten;
    /** Brokers that have not answered, since when. */
    private final Map<String, Long> deaf = new ConcurrentHashMap<>();
    /** Brokers that had no answer to a question, since when. */
    private final Map<String, Long> silent = new ConcurrentHashMap<>();
    /** Of queues of which nothing is committed but where they begin: that. */
    private final Map<MessageQueue, Long> starts = new ConcurrentHashMap<>();
    private volatile long greetedAt = System.nanoTime() - GREETED_NS;
    private volatile String refusal;
    private volatile OffsetStore kept;
    private boolean hasSaidThatOthersAre;

    /**
     * Lays it over what the consumer would use, or was told to; null: RocketMQ's own.
     *
     * @param isForgotten whether RocketMQ's client forgets how far it is with a queue that is its own yet
     */
    OwnOffsets(
            OffsetStore kept, Client client, Predicate<MessageQueue> isOurs, Predicate<MessageQueue> isForgotten) {
        this.kept = kept;
        this.client = client;
        this.isOurs = isOurs;
        this.isForgotten = isForgotten;
    }

    /** Called when the consumer starts, before it makes the threads that call its listener. */
    @Override
    public void load() throws MQClientException {
        client.starts();
        if (kept == null) {
            kept = client.isBroadcasting() // what RocketMQ would make now can be made only now
                    ? new LocalFileOffsetStore(client.shared(), client.group())
                    : new RemoteBrokerOffsetStore(client.shared(), client.group());
        }
        kept.load();
    }

    /** Whether the consumer uses them, which it may have been told not to. Without them its listener may be unguarded, too. */
    boolean areUsed() {
        boolean are = client.offsets() == this;
        if (!are && !hasSaidThatOthersAre) {
            hasSaidThatOthersAre = true;
            LOG.error("nothing is worked on: this consumer was given an offset store after Trimtab.attach: call"
                    + " setOffsetStore before");
        }
        return are;
    }

    /** Not remembered either: the queue may be its own again before it is asked for. */
    @Override
    public void updateOffset(MessageQueue queue, long offset, boolean increaseOnly) {
        if (isOurs.test(queue)) {
            starts.remove(queue);
            kept.updateOffset(queue, offset, increaseOnly);
            client.reached(Client.named(queue), offset);
        }
    }

    /**
     * The application of a consumer that is polled goes there. As long as it has committed nothing, the queue begins there, if
     * that is before: or the next owner would not come to what is between.
     */
    void sought(MessageQueue queue, long place) {
        Long start = starts.get(queue);
        if (start != null && place < start && isOurs.test(queue)) {
            starts.computeIfPresent(queue, (it, before) -> { // who commits meanwhile waits here
                kept.updateOffset(it, place, false);
                return place;
            });
            persist(queue);
        }
    }

    /** Only RocketMQ 5 has it. */
    @Override
    public void updateAndFreezeOffset(MessageQueue queue, long offset) {
        if (isOurs.test(queue)) {
            kept.updateAndFreezeOffset(queue, offset);
        }
    }

    /** What is in memory is asked for to be sent with a pull; -1: nothing. Where a queue begins is no answer to an application. */
    @Override
    public long readOffset(MessageQueue queue, ReadOffsetType type) {
        if (starts.containsKey(queue) && client.isQuestion()) {
            return NONE;
        }
        if (type == ReadOffsetType.READ_FROM_MEMORY) {
            return isOurs.test(queue) ? kept.readOffset(queue, type) : NONE;
        }
        long known = type == ReadOffsetType.MEMORY_FIRST_THEN_STORE
                ? kept.readOffset(queue, ReadOffsetType.READ_FROM_MEMORY)
                : NONE;
        return known >= 0 ? known : stored(queue);
    }

    /** What its broker has, which may be long to answer. */
    private long stored(MessageQueue queue) {
        long begun = System.nanoTime();
        Long silentSince = silent.get(queue.getBrokerName());
        if (silentSince != null && begun - silentSince < SILENT_NS) {
            return NO_ANSWER;
        }
        long found = kept.readOffset(queue, ReadOffsetType.READ_FROM_STORE);
        if (found == NONE && isOurs.test(queue) && !client.isBroadcasting()) {
            found = begun(queue);
        }
        long now = System.nanoTime();
        if (found >= NONE) {
            silent.remove(queue.getBrokerName());
        } else if (now - begun > WAITED_NS) {
            silent.put(queue.getBrokerName(), now);
            LOG.warn("{}: its broker does not say where to begin, and is asked again in ten seconds", queue);
        } else if (found == REFUSED && now - greetedAt >= GREETED_NS) {
            greetedAt = now;
            LOG.warn("{}: its broker does not take where it begins, and is asked again: {}", queue, refusal);
            client.greet();
        }
        return found == REFUSED ? NO_ANSWER : found;
    }

    /**
     * Where a queue begins for which its broker has nothing, which the broker has from now on. RocketMQ tells it only how
     * far messages were finished; until then the next owner would begin where the queue ends by that time, and what came
     * before that would be lost.
     */
    private long begun(MessageQueue queue) {
        try {
            if (isAtBroker() && !hasNone(queue)) {
                return NO_ANSWER;
            }
            long start = client.isQuestion() ? NONE : client.start(queue);
            if (start < 0) {
                return NONE;
            }
            if (!isOurs.test(queue)) { // it may be another's by now
                return NO_ANSWER;
            }
            starts.put(queue, start);
            if (isAtBroker()) {
                sendAndWait(queue, start);
            }
            kept.updateOffset(queue, start, false); // as one that was found
            if (!isAtBroker()) {
                kept.persist(queue);
            }
            return start;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // RocketMQ declares three; the queue is begun when it is asked again
            refusal = e.toString();
            return REFUSED;
        }
        return NO_ANSWER;
    }

    /**
     * Whether the broker itself says that it has no offset. 4.9 says so of whatever a broker refuses, as one does that has
     * too much to do: the client would begin anew, and write over what the group has committed.
     */
    private boolean hasNone(MessageQueue queue) throws ReflectiveOperationException, InterruptedException {
        Method question =
                RemoteBrokerOffsetStore.class.getDeclaredMethod("fetchConsumeOffsetFromBroker", MessageQueue.class);
        question.setAccessible(true);
        try {
            question.invoke(kept, queue);
            return false;
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof InterruptedException) {
                throw (InterruptedException) cause;
            }
            return cause instanceof MQBrokerException && ((MQBrokerException) cause).getResponseCode() == NOT_FOUND;
        }
    }

    @Override
    public void persistAll(Set<MessageQueue> queues) {
        Own own = queues.stream().filter(isOurs).collect(Collectors.toCollection(Own::new));
        if (own.isEmpty() && isAtBroker()) { // which looks for nothing then
            kept.cloneOffsetTable(null).keySet().stream().filter(isForgotten).forEach(own::add);
        }
        kept.persistAll(own);
    }

    /** The queue is about to leave: the next owner is to find what it has reached. RocketMQ's own waits for no answer. */
    @Override
    public void persist(MessageQueue queue) {
        if (isOurs.test(queue) && !hasArrived(queue)) {
            kept.persist(queue);
        }
    }

    /** A queue has left the client's table, mostly with its offset. */
    void left(MessageQueue queue) {
        if (isForgotten.test(queue)) {
            persist(queue);
        }
    }

    private boolean hasArrived(MessageQueue queue) {
        if (isDeaf(queue) || !isAtBroker()) {
            return false;
        }
        long reached = kept.readOffset(queue, ReadOffsetType.READ_FROM_MEMORY);
        try {
            if (reached >= 0) {
                sendAndWait(queue, reached);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // RocketMQ declares three; the offset is sent once more, and not waited for
            LOG.warn("{}: the offset {} may not have reached the broker: {}", queue, reached, e.toString());
        }
        return false;
    }

    /** Where RocketMQ has them; the application's may keep them elsewhere. */
    private boolean isAtBroker() {
        return kept.getClass() == RemoteBrokerOffsetStore.class;
    }

    /** One broker that does not answer must not hold up all rebalances for long, so it is not waited for again and again. */
    private boolean isDeaf(MessageQueue queue) {
        Long since = deaf.get(queue.getBrokerName());
        return since != null && System.nanoTime() - since < DEAF_NS;
    }

    private void sendAndWait(MessageQueue queue, long offset)
            throws RemotingException, MQBrokerException, InterruptedException, MQClientException {
        long begun = System.nanoTime();
        try {
            kept.updateConsumeOffsetToBroker(queue, offset, false);
        } catch (RemotingException | MQBrokerException | MQClientException e) {
            long now = System.nanoTime();
            if (now - begun > WAITED_NS) {
                deaf.put(queue.getBrokerName(), now);
                silent.put(queue.getBrokerName(), now); // whoever asks it now would wait as long
            }
            throw e;
        }
    }

    @Override
    public void removeOffset(MessageQueue queue) {
        starts.remove(queue);
        kept.removeOffset(queue);
    }

    @Override
    public Map<MessageQueue, Long> cloneOffsetTable(String topic) {
        return kept.cloneOffsetTable(topic);
    }

    @Override
    public void updateConsumeOffsetToBroker(MessageQueue queue, long offset, boolean isOneway)
            throws RemotingException, MQBrokerException, InterruptedException, MQClientException {
        if (!isOurs.test(queue)) {
            return;
        }
        if (isOneway || isDeaf(queue)) {
            kept.updateConsumeOffsetToBroker(queue, offset, true);
        } else {
            sendAndWait(queue, offset);
        }
    }

    /**
     * RocketMQ sends one after another, which takes seconds if a broker hangs, and looks each up before that. What is not
     * in here it forgets, unsent.
     */
    private final class Own extends HashSet<MessageQueue> {
        @Override
        public boolean contains(Object queue) {
            MessageQueue named = (MessageQueue) queue;
            return isForgotten.test(named) || (super.contains(named) && isOurs.test(named));
        }
    }
}
