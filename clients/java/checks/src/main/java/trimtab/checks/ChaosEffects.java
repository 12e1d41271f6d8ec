package trimtab.checks;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.rocketmq.Trimtab;

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

    private final String who;
    private final int queues;
    private final FileOutputStream events;
    private final OutputStream store;
    private final BufferedReader answers;
    private volatile boolean isSlow;

    /** Each of two brokers has so many queues of the topic. */
    ChaosEffects(String who, int queues, String events, int store) throws IOException {
        this.who = who;
        this.queues = queues;
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
     * @param trimtab null: nothing of ours says whose a queue is
     * @param mayFail whether every 50th of those that come for the first time fails
     */
    boolean of(MessageExt message, MessageQueue queue, Trimtab trimtab, boolean mayFail) {
        OptionalLong token = token(trimtab, queue);
        if (token.isEmpty()) {
            return false; // the queue went a moment ago, so nobody hears this
        }
        long number = Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
        int place = place(queue);
        String what = place + ", " + token.getAsLong() + ", " + message.getQueueOffset() + ", " + number;
        tell("handed", what);
        try {
            if (mayFail && number % 50 == 7 && message.getReconsumeTimes() == 0) {
                return false;
            }
            Thread.sleep(workMs());
            if (!token.equals(token(trimtab, queue))) {
                tell("lost", place + ", " + token.getAsLong() + ", -1, -1");
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

    /** One and the same for all without a line of ours: it refuses nobody. */
    private static OptionalLong token(Trimtab trimtab, MessageQueue queue) {
        return trimtab == null ? OptionalLong.of(0) : trimtab.token(queue);
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
