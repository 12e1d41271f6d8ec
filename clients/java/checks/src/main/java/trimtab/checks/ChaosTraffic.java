package trimtab.checks;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * The traffic of a round of chaos: numbered messages to RocketMQ, as many in a second as it is told.
 *
 * <p>{@code ChaosTraffic NAMESRV TOPIC QUEUES RATE EVENTS}. Each of two brokers has so many queues of the topic.
 * What a broker has taken it appends to a file, in the words of {@code chaos/history.py}; a number that none
 * has taken is not sent again. At the end of its stdin it sends no more.
 */
public final class ChaosTraffic {
    private static final int TIMEOUT_MS = 1_000;
    /** A broker that is back gets messages at once, or nobody could tell whether its queues are worked on. */
    private static final int ASK_MS = 1_000;
    private static volatile boolean isOver;

    private ChaosTraffic() {}

    public static void main(String[] args) throws Exception {
        int queues = Integer.parseInt(args[2]);
        double rate = Double.parseDouble(args[3]);
        DefaultMQProducer producer = new DefaultMQProducer("chaos");
        producer.setNamesrvAddr(args[0]);
        producer.setSendMsgTimeout(TIMEOUT_MS);
        producer.setPollNameServerInterval(ASK_MS);
        producer.start();
        Thread end = new Thread(ChaosTraffic::await, "end");
        end.setDaemon(true);
        end.start();
        long began = System.nanoTime();
        try (FileOutputStream events = new FileOutputStream(args[4], true)) {
            for (int number = 0; !isOver;) {
                if (number >= (System.nanoTime() - began) / 1e9 * rate) {
                    Thread.sleep(1);
                    continue;
                }
                try {
                    SendResult sent = producer.send(new Message(args[1], bytes(Integer.toString(number))));
                    if (sent.getSendStatus() == SendStatus.SEND_OK) {
                        events.write(bytes(acknowledged(sent, queues, number)));
                    }
                } catch (MQClientException | RemotingException | MQBrokerException | IllegalStateException e) {
                    // the last one, too: so RocketMQ says that its name server does not answer
                    System.out.println(number + " was not taken: " + e.getMessage());
                }
                number++;
            }
        }
        System.exit(0); // by itself it could take a minute
    }

    private static void await() {
        try {
            while (System.in.read() >= 0) {
                // it is told nothing but its end
            }
        } catch (IOException e) {
            // that is its end, too
        }
        isOver = true;
    }

    private static String acknowledged(SendResult sent, int queues, int number) {
        int broker = "broker-a".equals(sent.getMessageQueue().getBrokerName()) ? 0 : 1;
        int queue = broker * queues + sent.getMessageQueue().getQueueId();
        return "[" + System.nanoTime() + ", \"producer\", \"acked\", " + queue + ", -1, "
                + sent.getQueueOffset() + ", " + number + ", \"\"]\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
