package trimtab.rocketmq;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.Grant;
import trimtab.MemberOptions;
import trimtab.protocol.Queue;

/**
 * Plays the rules of a consumer that obeys, which look at no clock, for tests of them.
 *
 * <p>A line on stdin is {@code granted TOKEN...} or {@code told TOKEN BEGUN MS} (whether the client, which asks, is to
 * be told of the queue, which has the grant with this token, and has begun on it or not), or {@code whole NAMESPACE TOPIC}
 * (what a queue is called that the application names so, and what the client subscribes), or {@code late concurrently|orderly|both}
 * (what a listener answers that was registered after the line, while the queue is not the consumer's), or {@code offsets OURS|OTHERS}
 * (whether those that were laid over a consumer's are used), or {@code posts} (whether each pull says what it subscribes), or
 * {@code named LENGTH} (what a consumer is given whose client id is so long), or {@code producer STATE S} (whether one is over that is in
 * this state so many seconds after it was attached); each is answered by a line.
 */
public final class ClientRules {
    private static final long MS = 1_000_000L;

    private static final MessageListenerOrderly IN_ORDER = (messages, context) -> ConsumeOrderlyStatus.SUCCESS;

    private final Tries<Grant> tries = new Tries<>();

    private ClientRules() {}

    public static void main(String[] args) throws IOException, MQClientException {
        PrintStream out = System.out;
        System.setOut(System.err); // RocketMQ's logs speak of themselves
        ClientRules rules = new ClientRules();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(rules.answer(line.split(" ")));
        }
        System.exit(0); // what RocketMQ has begun for a played client goes on
    }

    private String answer(String[] asked) throws MQClientException {
        switch (asked[0]) {
            case "granted":
                Set<Grant> grants = Arrays.stream(asked).skip(1).map(ClientRules::grant).collect(Collectors.toSet());
                tries.keepTo(grants);
                return "granted";
            case "told":
                boolean isBegun = Boolean.parseBoolean(asked[2]);
                return Boolean.toString(tries.isDue(grant(asked[1]), isBegun, Long.parseLong(asked[3]) * MS));
            case "whole":
                DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
                consumer.setNamespace(asked[1]);
                consumer.subscribe("orders", "*");
                Client client = new LiteClient(consumer, new Gate(it -> true));
                return client.whole(new MessageQueue(asked[2], "broker-a", 3)) + " " + client.topics();
            case "late":
                return "concurrently".equals(asked[1]) ? late() : lateInOrder("both".equals(asked[1]) ? new Both() : IN_ORDER);
            case "offsets":
                return Boolean.toString(areUsed("OURS".equals(asked[1])));
            case "posts":
                return Boolean.toString(registeredLate(it -> it.registerMessageListener(
                        (MessageListenerConcurrently) (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS))
                                .isPostSubscriptionWhenPull());
            case "named":
                return named(Integer.parseInt(asked[1]));
            case "producer":
                long attachedFor = Long.parseLong(asked[2]) * 1_000 * MS;
                return Boolean.toString(TrimtabProducer.isOver(ServiceState.valueOf(asked[1]), attachedFor));
            default:
                throw new IllegalArgumentException(asked[0]);
        }
    }

    /** A consumer that is attached, and then has its listener registered once more. */
    private static DefaultMQPushConsumer registeredLate(Consumer<DefaultMQPushConsumer> registering)
            throws MQClientException {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
        registering.accept(consumer);
        Trimtab.attach(consumer, MemberOptions.of("127.0.0.1:1"));
        registering.accept(consumer);
        consumer.getOffsetStore().load(); // as its start does
        return consumer;
    }

    private static String late() throws MQClientException {
        MessageListenerConcurrently listener = (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        DefaultMQPushConsumer consumer = registeredLate(it -> it.registerMessageListener(listener));
        ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(new MessageQueue("orders", "broker-a", 0));
        return ((MessageListenerConcurrently) consumer.getMessageListener()).consumeMessage(List.of(), context).name();
    }

    /** With whether RocketMQ is to commit by itself, by which it chooses what it takes the answer for. */
    private static String lateInOrder(MessageListenerOrderly listener) throws MQClientException {
        DefaultMQPushConsumer consumer = registeredLate(it -> it.setMessageListener(listener));
        ConsumeOrderlyContext context = new ConsumeOrderlyContext(new MessageQueue("orders", "broker-a", 0));
        MessageListenerOrderly guarded = (MessageListenerOrderly) consumer.getMessageListener();
        return guarded.consumeMessage(List.of(), context) + " " + context.isAutoCommit();
    }

    private static String named(int length) throws MQClientException {
        PlayedClient client = new PlayedClient();
        Follower follower = new Follower(it -> client, MemberOptions.of("127.0.0.1:1"), Fallback.NONE, false);
        List<MessageQueue> queues = List.of(new MessageQueue("orders", "broker-a", 0));
        String id = "a".repeat(length);
        return follower.share("billing", id, queues, List.of(id)) + " " + follower.state();
    }

    private static boolean areUsed(boolean isOurs) {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
        Client client = new PushClient(consumer, new Gate(it -> true));
        OwnOffsets ours = new OwnOffsets(null, client, it -> true, it -> false);
        OwnOffsets others = new OwnOffsets(null, client, it -> true, it -> false);
        consumer.getDefaultMQPushConsumerImpl().setOffsetStore(isOurs ? ours : others);
        return ours.areUsed();
    }

    private static Grant grant(String token) {
        return new Grant(new Queue("orders", "broker-a", 0), Long.parseLong(token), null, null);
    }

    /** A listener of both kinds, which RocketMQ has work in order. */
    private static final class Both implements MessageListenerOrderly, MessageListenerConcurrently {
        @Override
        public ConsumeOrderlyStatus consumeMessage(List<MessageExt> messages, ConsumeOrderlyContext context) {
            return ConsumeOrderlyStatus.SUCCESS;
        }

        @Override
        public ConsumeConcurrentlyStatus consumeMessage(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        }
    }
}
