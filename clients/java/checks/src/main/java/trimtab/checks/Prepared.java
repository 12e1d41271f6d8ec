package trimtab.checks;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import trimtab.MemberOptions;
import trimtab.protocol.Topic;
import trimtab.rocketmq.Trimtab;
import trimtab.transport.Inbox;
import trimtab.transport.KafkaTransport;
import trimtab.transport.Unreachable;

/**
 * A way to Kafka that is prepared before there is a member.
 *
 * <p>{@code Prepared KAFKA PREFIX GROUP}. It says {@code open} when it follows the group's partitions, and then
 * the first record that it reads. With {@code unstarted} as a fourth argument a consumer of RocketMQ is attached
 * instead, and closed without a start: it says how long that took in milliseconds. Each time that a way is given
 * up it says which threads are left.
 */
public final class Prepared {
    private static final long PATIENCE_NS = 10_000_000_000L;

    private Prepared() {}

    public static void main(String[] args) throws Exception {
        MemberOptions options = MemberOptions.of(args[0]).prefix(args[1]);
        if (args.length > 3) {
            attachAndClose(args[2], options);
        } else {
            follow(args[2], options.transport());
        }
        System.exit(0);
    }

    private static void follow(String group, KafkaTransport transport) throws Unreachable, InterruptedException {
        transport.prepare(group);
        transport.forgo();
        System.out.println("left " + threadsAfterAWhile());
        transport.prepare(group);
        Heard heard = new Heard();
        transport.open(group, heard);
        System.out.println("open");
        new Scanner(System.in).nextLine(); // somebody has written a record
        transport.prepare(group); // late: where it reads from stays
        transport.forgo();
        for (long end = System.nanoTime() + PATIENCE_NS; heard.values.isEmpty() && System.nanoTime() < end;) {
            transport.poll(100);
        }
        System.out.println("heard " + heard.values);
    }

    private static void attachAndClose(String group, MemberOptions options) throws InterruptedException {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
        consumer.registerMessageListener(
                (MessageListenerConcurrently) (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
        Trimtab attached = Trimtab.attach(consumer, options);
        Thread.sleep(2_000); // it connects, or tries to
        long begun = System.nanoTime();
        attached.close();
        System.out.println("took " + (System.nanoTime() - begun) / 1_000_000);
        System.out.println("left " + threadsAfterAWhile());
    }

    /** Those of Kafka's clients and ours that do not end within the time for it. */
    private static List<String> threadsAfterAWhile() throws InterruptedException {
        List<String> left = threads();
        for (long end = System.nanoTime() + PATIENCE_NS; !left.isEmpty() && System.nanoTime() < end;) {
            Thread.sleep(20);
            left = threads();
        }
        return left;
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(it -> it.startsWith("kafka-") || it.startsWith("trimtab-"))
                .collect(Collectors.toList());
    }

    private static final class Heard implements Inbox {
        final List<String> values = new ArrayList<>();

        @Override
        public void received(Topic topic, byte[] key, byte[] value) {
            values.add(new String(value, StandardCharsets.UTF_8));
        }

        @Override
        public void delivered(long ticket) {}

        @Override
        public void undelivered(long ticket, String reason) {}

        @Override
        public void caughtUp(long at) {}

        @Override
        public void trouble(String reason) {}
    }
}
