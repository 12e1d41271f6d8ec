package trimtab.rocketmq;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.protocol.Queue;

/**
 * Where a lite pull consumer takes from what {@code poll} gives: so it knows what the application has in hand.
 *
 * <p>The client asks it once or more in each {@code poll}: then the application has come back. What must not
 * be handed out is dropped first, and the client asks again by itself. Used in the place of the client's own
 * queue of the same kind.
 */
final class Hand extends LinkedBlockingQueue<Object> {
    private static final long serialVersionUID = 1L;

    private final transient Gate gate;
    /** Of each queue in hand the first message; null: forgotten. */
    private final transient Map<Queue, Long> firsts = new HashMap<>();
    private boolean givenUp;
    private transient volatile Thread taker;

    Hand(Gate gate) {
        this.gate = gate;
    }

    @Override
    public Object poll(long timeout, TimeUnit unit) throws InterruptedException {
        taker = Thread.currentThread();
        comeBack();
        Object request = super.poll(timeout, unit);
        if (request != null) {
            take(request);
        }
        return request;
    }

    /** Whether the application may come back while this thread waits: another one polls, and has not ended. */
    boolean mayComeBack() {
        Thread last = taker;
        return last == null || (last != Thread.currentThread() && last.isAlive());
    }

    /** The first message of a queue that is in hand; null: none is, or it was forgotten. */
    synchronized Long firstOf(Queue queue) {
        return firsts.get(queue);
    }

    /** What is in hand of a queue is somebody else's: it says nothing of how far this consumer is with the queue. */
    synchronized void forget(Queue queue) {
        firsts.replace(queue, null);
    }

    /** Nobody waits for what is in hand any more; and nothing more is handed out. */
    synchronized void giveUp() {
        if (!givenUp) {
            givenUp = true;
            firsts.keySet().forEach(gate::leave);
        }
    }

    private synchronized void comeBack() {
        if (!givenUp) {
            firsts.keySet().forEach(gate::leave);
        }
        firsts.clear();
    }

    private synchronized void take(Object request) {
        ProcessQueue cache = (ProcessQueue) ask(request, "getProcessQueue");
        Queue queue = Client.named((MessageQueue) ask(request, "getMessageQueue"));
        if (cache.isDropped()) {
            return; // of an earlier time with this queue
        }
        if (givenUp || !gate.enter(queue)) {
            Client.drop(cache);
            return;
        }
        firsts.put(queue, ((MessageExt) ((List<?>) ask(request, "getMessageExts")).get(0)).getQueueOffset());
    }

    /** By name: the class of a request is the client's own. */
    private static Object ask(Object request, String getter) {
        try {
            Method method = request.getClass().getDeclaredMethod(getter);
            method.setAccessible(true);
            return method.invoke(request);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RocketMQ's client does not answer " + getter, e);
        }
    }
}
