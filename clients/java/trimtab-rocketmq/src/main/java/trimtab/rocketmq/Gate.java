package trimtab.rocketmq;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import trimtab.protocol.Queue;

/**
 * Lets the application's listener begin on messages of a queue only while the queue is ours.
 *
 * <p>RocketMQ drops a queue while its listener still works on the last messages of it. So we count who
 * is at work, and a queue is released when nobody is.
 */
final class Gate {
    private final Predicate<Queue> isOurs;
    private final Map<Queue, Integer> atWork = new HashMap<>();
    /** Threads that are in the application's own code, and come back from it. */
    private final Set<Thread> workers = ConcurrentHashMap.newKeySet();

    Gate(Predicate<Queue> isOurs) {
        this.isOurs = isOurs;
    }

    /** Begins work on a queue, if that is allowed at this moment; {@link #leave} ends it. */
    boolean enter(Queue queue) {
        synchronized (atWork) {
            atWork.merge(queue, 1, Integer::sum); // first: who looks now sees that somebody may be in
        }
        boolean mayWork = false;
        try {
            mayWork = isOurs.test(queue);
        } finally {
            if (!mayWork) {
                leave(queue);
            }
        }
        return mayWork;
    }

    void leave(Queue queue) {
        synchronized (atWork) {
            atWork.computeIfPresent(queue, (it, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The same as {@link #enter}, for work that this thread does from beginning to {@link #end}. */
    boolean begin(Queue queue) {
        boolean mayWork = enter(queue);
        if (mayWork) {
            workers.add(Thread.currentThread());
        }
        return mayWork;
    }

    void end(Queue queue) {
        workers.remove(Thread.currentThread());
        leave(queue);
    }

    /** Runs the application's own code on this thread. */
    void during(Runnable code) {
        workers.add(Thread.currentThread());
        try {
            code.run();
        } finally {
            workers.remove(Thread.currentThread());
        }
    }

    /** Whether this thread is at work: it cannot wait for its own end. */
    boolean isWorker() {
        return workers.contains(Thread.currentThread());
    }

    boolean isIdle(Queue queue) {
        synchronized (atWork) {
            return !atWork.containsKey(queue);
        }
    }
}
