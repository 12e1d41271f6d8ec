package trimtab.checks;

import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import trimtab.rocketmq.ProducerOptions;
import trimtab.rocketmq.TrimtabProducer;

/**
 * A producer of RocketMQ that says on stdout to which broker each of its messages went.
 *
 * <p>{@code RocketSender NAMESRV KAFKA PREFIX TOPIC REPORTER [OPTIONS]}, the last a file for kafka-clients. It sends some
 * fifty messages a second, by turns at once and asynchronously, and what trimtab logs is on stderr. For {@code avoids BROKER} on stdin it says whether a verdict keeps it away; at the
 * end of stdin it shuts its producer down.
 */
public final class RocketSender {
    private static final int PAUSE_MS = 20;
    /** RocketMQ's three seconds are short for the first message, where several programs start on a busy machine. */
    private static final int TIMEOUT_MS = 20_000;

    private RocketSender() {}

    public static void main(String[] args) throws Exception {
        System.setProperty("trimtab.checks.log", "true");
        DefaultMQProducer producer = new DefaultMQProducer(args[4]);
        producer.setNamesrvAddr(args[0]);
        producer.setRetryTimesWhenSendFailed(2);
        producer.setMqClientApiTimeout(TIMEOUT_MS);
        producer.setSendMsgTimeout(TIMEOUT_MS);
        ProducerOptions options =
                ProducerOptions.of(args[1]).prefix(args[2]).reporter(args[4]).reportEvery(Duration.ofMillis(500));
        if (args.length > 5) {
            Properties kafka = new Properties();
            try (Reader file = Files.newBufferedReader(Path.of(args[5]))) {
                kafka.load(file);
            }
            kafka.stringPropertyNames().forEach(it -> options.kafka(it, kafka.getProperty(it)));
        }
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
