package trimtab.rocketmq;

import java.util.List;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.common.message.MessageQueue;

/** The strategy {@code TRIMTAB}: it answers the client with what the controller has granted it. */
final class TrimtabStrategy implements AllocateMessageQueueStrategy {
    static final String NAME = "TRIMTAB";

    private final Follower follower;

    TrimtabStrategy(Follower follower) {
        this.follower = follower;
    }

    /** Never throws: the client would keep its queues, and ask again for ever. */
    @Override
    public List<MessageQueue> allocate(
            String group, String clientId, List<MessageQueue> queues, List<String> clientIds) {
        return follower.share(group, clientId, queues, clientIds);
    }

    @Override
    public String getName() {
        return NAME;
    }
}
