package trimtab.checks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Says what a member of a round of chaos writes down, for tests of it.
 *
 * <p>{@code ChaosRules WHO EVENTS STORE gated|bare TOKEN...}: it is handed a message under each token in turn, of which
 * {@code -} is none. Answers for each whether it was done.
 */
public final class ChaosRules {
    private static final int QUEUES = 4;
    private static final int TOLD = 4;

    private ChaosRules() {}

    public static void main(String[] args) throws IOException {
        int store = Integer.parseInt(args[2]);
        ChaosEffects effects = new ChaosEffects(args[0], QUEUES, args[1], store, "gated".equals(args[3]));
        for (int number = 0; number < args.length - TOLD; number++) {
            String told = args[TOLD + number];
            OptionalLong token = "-".equals(told) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(told));
            MessageExt message = new MessageExt();
            message.setBody(Integer.toString(number).getBytes(StandardCharsets.UTF_8));
            message.setQueueOffset(number);
            System.out.println(effects.of(message, new MessageQueue("work", "broker-a", 0), it -> token, false));
        }
        Runtime.getRuntime().halt(0);
    }
}
