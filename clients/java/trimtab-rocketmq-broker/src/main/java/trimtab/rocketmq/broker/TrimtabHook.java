package trimtab.rocketmq.broker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.apache.rocketmq.remoting.protocol.body.QueryAssignmentRequestBody;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;

/**
 * What a broker of RocketMQ 5 loads: its clients that let it rebalance get the controller's shares.
 *
 * <p>It copies their heartbeats to Kafka, where the controller has them as members, and answers their
 * questions for queues with what the controller has said. Without {@code trimtab.kafka} it does
 * nothing. Its one rule: no request waits for it, and none fails by it.
 */
public final class TrimtabHook implements RPCHook {
    // RocketMQ's numbers of the requests.
    private static final int HEART_BEAT = 34;
    private static final int UNREGISTER_CLIENT = 35;
    private static final int QUERY_ASSIGNMENT = 400;
    private static final int SUCCESS = 0;

    private static final ThreadLocal<Boolean> UNREGISTERING = ThreadLocal.withInitial(() -> false);

    private final Troubles troubles = new Troubles();
    private final HookSettings settings;
    private final Copies copies;
    private final Shares shares;

    /** Made by the broker, while it begins. */
    public TrimtabHook() {
        BrokerController broker = BrokerFinder.take();
        settings = read();
        if (settings == null) {
            copies = null;
            shares = null;
            return;
        }
        String name = broker == null ? UUID.randomUUID().toString() : broker.getBrokerConfig().getBrokerName();
        copies = new Copies(settings, name, troubles);
        shares = new Shares(settings.patience.toNanos(), settings::follows, System.nanoTime());
        Notices notices = new Notices(broker, troubles);
        new Follower(settings, name, shares, copies, notices, troubles);
        if (broker == null) {
            troubles.tell("another plug-in settles transactions before ours on the class path",
                    "clients are not told of changes, they ask within 20 s; and one that dies is noticed after 120 s");
        } else {
            broker.getConsumerManager().appendConsumerIdsChangeListener(
                    new LostClients(broker.getConsumerManager(), settings, copies, troubles));
        }
    }

    /** Whether this thread works on a client's request to leave a group. */
    static boolean isUnregistering() {
        return UNREGISTERING.get();
    }

    @Override
    public void doBeforeRequest(String remoteAddr, RemotingCommand request) {
        if (settings != null && request.getCode() == UNREGISTER_CLIENT) {
            UNREGISTERING.set(true);
        }
    }

    @Override
    public void doAfterResponse(String remoteAddr, RemotingCommand request, RemotingCommand response) {
        if (settings == null) {
            return;
        }
        try {
            switch (request.getCode()) {
                case HEART_BEAT:
                    if (isGood(response) && request.getBody() != null) {
                        copies.heartbeat(request.getBody());
                    }
                    break;
                case UNREGISTER_CLIENT:
                    UNREGISTERING.remove();
                    unregistered(request.getExtFields());
                    break;
                case QUERY_ASSIGNMENT:
                    if (isGood(response)) {
                        answer(request, response);
                    }
                    break;
                default:
                    break;
            }
        } catch (RuntimeException e) {
            troubles.tell("the broker's own answer stays", e.toString());
        }
    }

    private void unregistered(Map<String, String> fields) {
        String group = fields == null ? null : fields.get("consumerGroup");
        if (group != null && settings.follows(group)) {
            copies.unregister(fields.get("clientID"), group);
        }
    }

    private void answer(RemotingCommand request, RemotingCommand response) {
        QueryAssignmentRequestBody asked =
                RemotingSerializable.decode(request.getBody(), QueryAssignmentRequestBody.class);
        boolean isShared = asked.getMessageModel() == MessageModel.CLUSTERING;
        if (!isShared || isPop(response.getBody())) {
            return;
        }
        byte[] answer = shares.answer(
                asked.getConsumerGroup(), asked.getClientId(), asked.getTopic(), System.nanoTime());
        if (answer != null) {
            response.setBody(answer);
        }
    }

    /** Whether the broker has the client pop: then all may work on all queues, and so it stays. */
    private static boolean isPop(byte[] body) {
        return body != null && new String(body, StandardCharsets.UTF_8).contains("\"mode\":\"POP\"");
    }

    private static boolean isGood(RemotingCommand response) {
        return response != null && response.getCode() == SUCCESS;
    }

    /** Null: there is nothing to do, or the settings make no sense, which is told once. */
    private HookSettings read() {
        try {
            HookSettings read = HookSettings.read();
            if (read.areGiven()) {
                return read;
            }
            troubles.note("trimtab.kafka is not set: nobody follows a controller");
        } catch (IOException | RuntimeException e) {
            troubles.tell("a setting is wrong, so nobody follows a controller", e.toString());
        }
        return null;
    }
}
