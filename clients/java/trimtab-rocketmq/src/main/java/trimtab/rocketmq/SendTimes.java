package trimtab.rocketmq;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.hook.SendMessageContext;
import org.apache.rocketmq.client.hook.SendMessageHook;
import org.apache.rocketmq.client.impl.CommunicationMode;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException;
import trimtab.faults.Window;
import trimtab.protocol.Report.Figures;

/**
 * What each send took, by broker, as RocketMQ's client tells its hooks.
 *
 * <p>The hook hears of an asynchronous send when it is under way, and again when all its tries are over;
 * if the last try went to another broker, how long that one took is not known, and only the failure of the
 * first counts. A send that nobody answers (one way) says nothing of its broker. Its one rule: a send
 * costs two looks at the clock and one entry.
 */
final class SendTimes implements SendMessageHook {
    private static final String BEGUN = "trimtab.begun";

    /**
     * Answers that say that the broker is not well; all others are about the message. SYSTEM_ERROR,
     * SYSTEM_BUSY, SERVICE_NOT_AVAILABLE and GO_AWAY, which have the same numbers in 4 and 5.
     */
    private static final Set<Integer> UNFIT = Set.of(1, 2, 14, 1500);

    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    @Override
    public String hookName() {
        return "trimtab";
    }

    @Override
    public void sendMessageBefore(SendMessageContext context) {
        if (context.getCommunicationMode() != CommunicationMode.ONEWAY) {
            Map<String, String> notes = context.getProps();
            if (notes == null) {
                notes = new HashMap<>();
                context.setProps(notes);
            }
            notes.put(BEGUN, Long.toString(System.nanoTime()));
        }
    }

    @Override
    public void sendMessageAfter(SendMessageContext context) {
        String begun = context.getProps() == null ? null : context.getProps().get(BEGUN);
        SendResult result = context.getSendResult();
        Exception error = context.getException();
        if (begun == null || context.getMq() == null || (result == null && error == null)) {
            return;
        }
        double tookMs = (System.nanoTime() - Long.parseLong(begun)) / 1e6;
        String broker = context.getMq().getBrokerName();
        if (result != null && error == null) {
            boolean isOther = result.getMessageQueue() != null
                    && !broker.equals(result.getMessageQueue().getBrokerName());
            note(broker, tookMs, isOther);
        } else if (!isOurs(error)) {
            note(broker, tookMs, isUnfit(error));
        }
    }

    /** Sums up all windows, and opens the next ones. */
    Map<String, Figures> close() {
        Map<String, Figures> closed = new HashMap<>();
        windows.forEach((broker, window) -> {
            Figures figures = window.close();
            if (figures != null) {
                closed.put(broker, figures);
            }
        });
        return closed;
    }

    private void note(String broker, double tookMs, boolean failed) {
        windows.computeIfAbsent(broker, it -> new Window()).note(tookMs, failed);
    }

    /** Whether the send never reached the broker for a reason of this process. */
    private static boolean isOurs(Throwable error) {
        for (Throwable it = error; it != null; it = it.getCause()) {
            if (it instanceof RemotingTooMuchRequestException || it instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }

    private static boolean isUnfit(Throwable error) {
        for (Throwable it = error; it != null; it = it.getCause()) {
            if (it instanceof MQBrokerException) {
                return UNFIT.contains(((MQBrokerException) it).getResponseCode());
            }
        }
        return true;
    }
}
