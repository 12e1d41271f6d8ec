package trimtab.rocketmq;

import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import trimtab.protocol.Queue;

/**
 * Puts the gate before the application's listener, of either kind.
 *
 * <p>Where the gate is shut the queue is dropped first: RocketMQ ignores what a concurrent listener answers for a
 * dropped queue, so the messages are neither committed nor sent back, and the next owner has them. What an orderly one
 * answers counts all the same: to ask for a later try would be one more try, and after the last one a dead letter. A
 * rollback counts no try and commits nothing; RocketMQ takes it only from a listener that commits by itself. The queue is
 * dropped, too, for a listener that was interrupted at work, as {@code shutdown()} does: RocketMQ 5 cannot look its messages
 * up in that thread ({@code ProcessQueue.containsMessage}), takes them for done, and they would be lost.
 */
final class Listeners {
    /** What {@code NettyRemotingClient} calls the threads on which requests of brokers are carried out. */
    private static final String REQUESTS = "NettyClientPublicExecutor_";

    /** Marks a listener that is behind the gate. */
    private interface Guarded {}

    private final Gate gate;
    private final Client client;

    Listeners(Gate gate, Client client) {
        this.gate = gate;
        this.client = client;
    }

    /** Replaces the consumer's listener by one behind the gate. */
    void guard(DefaultMQPushConsumer consumer) {
        MessageListener listener = consumer.getMessageListener();
        if (listener instanceof MessageListenerOrderly) { // first, as RocketMQ: one of both kinds works in order
            consumer.registerMessageListener(guarded((MessageListenerOrderly) listener));
        } else if (listener instanceof MessageListenerConcurrently) {
            consumer.registerMessageListener(guarded((MessageListenerConcurrently) listener));
        } else {
            throw new IllegalStateException(
                    "Trimtab.attach: the consumer has no listener yet: call registerMessageListener first");
        }
    }

    /** Whether the consumer's listener is one of ours. */
    static boolean isGuarded(DefaultMQPushConsumer consumer) {
        return consumer.getMessageListener() instanceof Guarded;
    }

    private MessageListenerConcurrently guarded(MessageListenerConcurrently listener) {
        return (MessageListenerConcurrently & Guarded) (messages, context) -> {
            if (isOnesWish()) {
                return listener.consumeMessage(messages, context);
            }
            Queue queue = Client.named(context.getMessageQueue());
            if (!gate.begin(queue)) {
                client.drop(queue);
                client.wake(); // it may be ours again by now, and is to come anew
                return ConsumeConcurrentlyStatus.RECONSUME_LATER;
            }
            boolean isDone = false;
            try {
                ConsumeConcurrentlyStatus status = listener.consumeMessage(messages, context);
                isDone = status == ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                        && context.getAckIndex() >= messages.size() - 1; // or it has done the first ones alone
                return status;
            } finally {
                if (!isDone && Thread.currentThread().isInterrupted()) {
                    client.drop(queue);
                }
                gate.end(queue);
            }
        };
    }

    private MessageListenerOrderly guarded(MessageListenerOrderly listener) {
        return (MessageListenerOrderly & Guarded) (messages, context) -> {
            if (isOnesWish()) {
                return listener.consumeMessage(messages, context);
            }
            Queue queue = Client.named(context.getMessageQueue());
            if (!gate.begin(queue)) {
                client.drop(queue);
                client.wake(); // it may be ours again by now, and is to come anew
                context.setAutoCommit(false); // of this one call
                return ConsumeOrderlyStatus.ROLLBACK;
            }
            try {
                return listener.consumeMessage(messages, context);
            } finally {
                gate.end(queue);
            }
        };
    }

    /**
     * Whether somebody wants this client to work on this one message, whoever has its queue ("consume message
     * directly"). RocketMQ does it on the thread that took the request, and none of its own work there.
     */
    private static boolean isOnesWish() {
        return Thread.currentThread().getName().startsWith(REQUESTS);
    }
}
