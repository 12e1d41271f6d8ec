package trimtab.checks;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * The work of a member of a round of chaos: each message has an effect in a store.
 *
 * <p>What it is handed, and when it is through with it, it appends to a file, in the words of {@code chaos/history.py}.
 */
final class ChaosEffects {
    private static final int WORK_MS = 4;
    private static final int SLOW_MS = 5_000;
    private static final long LOOK_MS = 100;
    /** A pause that is worth a line. */
    private static final long HELD_UP_NS = 500_000_000;
    /** The token of who had none yet. */
    private static final long NONE = -1;

    private final String who;
    private final int queues;
    private final FileOutputStream events;
    private final OutputStream store;
    private final BufferedReader answers;
    private final boolean isGated;
    /** The last token that this life was seen to have of each queue. */
    private final Map<Integer, Long> tokens = new ConcurrentHashMap<>();

    private volatile boolean isSlow;

    /**
     * Each of two brokers has so many queues of the topic.
     *
     * @param isGated whether nothing is to be handed out of a queue that went: who polls or pulls by itself has to look
     */
    ChaosEffects(String who, int queues, String events, int store, boolean isGated) throws IOException {
        this.who = who;
        this.queues = queues;
        this.isGated = isGated;
        this.events = new FileOutputStream(events, true);
        Socket socket = new Socket("127.0.0.1", store);
        socket.setTcpNoDelay(true);
        this.store = socket.getOutputStream();
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        Thread watch = new Thread(this::watch, "watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** The next message takes long. */
    void slow() {
        isSlow = true;
    }

    /**
     * Has an effect of a message under the token that its queue has now; false: it is to come again.
     *
     * @param owned the token of a queue, if it is this life's at that moment
     * @param mayFail whether every 50th of those that come for the first time fails
     */
    boolean of(
            MessageExt message,
            MessageQueue queue,
            Function<MessageQueue, OptionalLong> owned,
            boolean mayFail) {
        OptionalLong token = owned.apply(queue);
        if (token.isEmpty() && !isGated) {
            return false; // the queue went a moment ago, so nobody hears this
        }
        long number = Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
        int place = place(queue);
        token.ifPresent(it -> tokens.put(place, it));
        long known = tokens.getOrDefault(place, NONE);
        String what = place + ", " + known + ", " + message.getQueueOffset() + ", " + number;
        tell("handed", what);
        try {
            if (token.isEmpty()) {
                return false; // a listener that asks for no token would work on it
            }
            if (mayFail && number % 50 == 7 && message.getReconsumeTimes() == 0) {
                return false;
            }
            Thread.sleep(workMs());
            if (!token.equals(owned.apply(queue))) {
                tell("lost", place + ", " + known + ", -1, -1");
                return false; // others work on it
            }
            return isTaken(who + " " + what.replace(",", ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            tell("done", what);
        }
    }

    private int workMs() {
        boolean wasSlow = isSlow;
        isSlow = false;
        return wasSlow ? SLOW_MS : WORK_MS;
    }

    /** Whether the store has taken it: it refuses a token that is over. */
    private boolean isTaken(String line) {
        String answer = null;
        try {
            synchronized (store) {
                store.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                answer = answers.readLine();
            }
        } catch (IOException e) {
            // it is gone, as if it had not answered
        }
        if (answer == null) {
            Runtime.getRuntime().halt(0); // who started us is gone
        }
        return "1".equals(answer);
    }

    /** Writes down when this process was held up. */
    private void watch() {
        long before = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - before > HELD_UP_NS) {
                tell("paused", "-1, -1, " + (now - before) + ", -1");
            }
            before = now;
        }
    }

    /** The queues of the topic at the first broker, at the second, and those for what has failed. */
    private int place(MessageQueue queue) {
        int broker = "broker-a".equals(queue.getBrokerName()) ? 0 : 1;
        return queue.getTopic().startsWith("%RETRY%")
                ? 2 * queues + broker
                : broker * queues + queue.getQueueId();
    }

    /** One write for one line: it is whole, or was cut off by a death. */
    private synchronized void tell(String kind, String what) {
        String line = "[" + System.nanoTime() + ", \"" + who + "\", \"" + kind + "\", " + what + ", \"\"]\n";
        try {
            events.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
