package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import trimtab.rocketmq.ProducerOptions;
import trimtab.rocketmq.TrimtabProducer;

/**
 * A producer of RocketMQ that says on stdout to which broker each of its messages went.
 *
 * <p>{@code RocketSender NAMESRV KAFKA PREFIX TOPIC REPORTER}. It sends some fifty messages a second, by turns
 * at once and asynchronously. For {@code avoids BROKER} on stdin it says whether a verdict keeps it away; at the
 * end of stdin it shuts its producer down.
 */
public final class RocketSender {
    private static final int PAUSE_MS = 20;

    private RocketSender() {}

    public static void main(String[] args) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer(args[4]);
        producer.setNamesrvAddr(args[0]);
        producer.setRetryTimesWhenSendFailed(2);
        ProducerOptions options =
                ProducerOptions.of(args[1]).prefix(args[2]).reporter(args[4]).reportEvery(Duration.ofMillis(500));
        TrimtabProducer trimtab = TrimtabProducer.attach(producer, options);
        say("verdicts " + trimtab.awaitVerdicts(Duration.ofSeconds(20)));
        producer.start();
        byte[] body = "a message".getBytes(StandardCharsets.UTF_8);
        Orders orders = new Orders();
        orders.start();
        for (int number = 0; !orders.over; number++) {
            Message message = new Message(args[3], body);
            if (number % 2 == 0) {
                told(producer.send(message));
            } else {
                producer.send(message, new Heard());
            }
            Thread.sleep(PAUSE_MS);
            String asked = orders.asked;
            if (asked != null) {
                orders.asked = null;
                say("avoids " + asked + " " + trimtab.avoids(asked));
            }
        }
        producer.shutdown();
    }

    private static void told(SendResult result) {
        say("to " + result.getMessageQueue().getBrokerName());
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }

    private static final class Heard implements SendCallback {
        @Override
        public void onSuccess(SendResult result) {
            told(result);
        }

        @Override
        public void onException(Throwable error) {
            say("failed " + error);
        }
    }

    /** Reads stdin, so that sending need not wait for it. */
    private static final class Orders extends Thread {
        volatile String asked;
        volatile boolean over;

        @Override
        public void run() {
            try (java.util.Scanner lines = new java.util.Scanner(System.in, StandardCharsets.UTF_8)) {
                while (lines.hasNextLine()) {
                    asked = lines.nextLine().split(" ")[1];
                }
            } finally {
                over = true;
            }
        }
    }
}
