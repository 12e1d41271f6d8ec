package trimtab.rocketmq.broker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.client.ConsumerGroupInfo;
import org.apache.rocketmq.broker.client.ConsumerManager;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.apache.rocketmq.remoting.protocol.body.QueryAssignmentRequestBody;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.apache.rocketmq.store.config.BrokerRole;

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
    private static final int PULL_MESSAGE = 11;
    private static final int LITE_PULL_MESSAGE = 361;
    private static final int SUCCESS = 0;

    private static final ThreadLocal<Boolean> UNREGISTERING = ThreadLocal.withInitial(() -> false);

    private final Troubles troubles = new Troubles();
    private final HookSettings settings;
    private final Speakers speakers = new Speakers();
    private final Pulls pulls = new Pulls();
    private final Copies copies;
    private final Shares shares;
    /** Null: the broker was not found. */
    private final ConsumerManager clients;

    /** Made by the broker, while it begins: which would not start if this failed. */
    public TrimtabHook() {
        BrokerController broker = BrokerFinder.take();
        Set<String> unread = broker == null ? Plugins.unread(RPCHook.class) : Set.of();
        if (!unread.isEmpty()) {
            troubles.tell("the broker does not load these hooks, because the file that names ours is before theirs on the"
                    + " class path: name all of them in one file", String.join(", ", unread));
        }
        HookSettings read = read();
        Copies itsCopies = null;
        Shares itsShares = null;
        if (read != null) {
            try {
                String name = broker == null ? UUID.randomUUID().toString() : broker.getBrokerConfig().getBrokerName();
                String sign = broker == null ? name : name + " at " + broker.getBrokerAddr();
                itsCopies = new Copies(read, sign, troubles);
                itsShares = new Shares(read.patience.toNanos(), read::follows, System.nanoTime());
                begin(broker, name, read, itsCopies, itsShares);
            } catch (LinkageError e) {
                read = null;
                troubles.tell("trimtab-core or kafka-clients is not in the lib folder, or of another release, so nobody follows a controller",
                        e.toString());
            } catch (RuntimeException e) {
                read = null;
                troubles.tell("a setting is wrong, so nobody follows a controller", e.toString());
            }
        }
        settings = read;
        clients = broker == null ? null : broker.getConsumerManager();
        copies = itsCopies;
        shares = itsShares;
    }

    private void begin(
            BrokerController broker, String name, HookSettings read, Copies itsCopies, Shares itsShares) {
        Notices notices = new Notices(broker, troubles);
        new Follower(read, name, itsShares, itsCopies, notices, speakers, pulls, () -> isMaster(broker), troubles);
        if (broker == null) {
            troubles.tell("another plug-in settles transactions before ours on the class path",
                    "clients are not told of changes, they ask within 20 s; and one that dies is noticed after 120 s");
        } else {
            broker.getConsumerManager().appendConsumerIdsChangeListener(
                    new LostClients(broker.getConsumerManager(), read, itsCopies, troubles));
        }
    }

    private static boolean isMaster(BrokerController broker) {
        return broker != null && broker.getMessageStoreConfig().getBrokerRole() != BrokerRole.SLAVE;
    }

    /** Whether this thread works on a client's request to leave a group. */
    static boolean isUnregistering() {
        return UNREGISTERING.get();
    }

    @Override
    public void doBeforeRequest(String remoteAddr, RemotingCommand request) {
        if (settings == null) {
            return;
        }
        int code = request.getCode();
        if (code == UNREGISTER_CLIENT) {
            UNREGISTERING.set(true);
        } else if (code == PULL_MESSAGE || code == LITE_PULL_MESSAGE) {
            pulls(request.getExtFields());
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
                        heartbeat(request.getBody(), response, remoteAddr);
                    }
                    break;
                case UNREGISTER_CLIENT:
                    UNREGISTERING.remove();
                    if (isGood(response)) { // who may not do that has not left
                        unregistered(request.getExtFields());
                    }
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

    private void pulls(Map<String, String> fields) {
        String group = fields == null ? null : fields.get("consumerGroup");
        if (group == null || !shares.know(group)) {
            return;
        }
        String topic = fields.get("topic");
        String queue = fields.get("queueId");
        if (Room.areNames(topic, queue)) {
            pulls.heard(Pulls.place(group, topic, queue), System.nanoTime());
        }
    }

    private void unregistered(Map<String, String> fields) {
        String group = fields == null ? null : fields.get("consumerGroup");
        String client = fields == null ? null : fields.get("clientID");
        boolean isFollowed = Room.areNames(client, group) && settings.follows(group);
        // Another process speaks for the client if that is heard yet, and works on: the last one to go leaves.
        if (isFollowed && !isHeard(group, client)) {
            copies.unregister(client, group);
        }
    }

    private boolean isHeard(String group, String client) {
        ConsumerGroupInfo known = clients == null ? null : clients.getConsumerGroupInfo(group);
        return known != null && Speakers.isHeard(known.getChannelInfoTable(), client, System.currentTimeMillis());
    }

    private void heartbeat(byte[] body, RemotingCommand response, String address) {
        Heartbeat heartbeat = Heartbeat.of(body);
        copies.heartbeat(body, heartbeat.client != null && areSeveral(heartbeat, address));
        if (shares.needAll(heartbeat, this::isWithoutTopics)) {
            response.addExtField(MixAll.IS_SUB_CHANGE, Boolean.TRUE.toString());
        }
    }

    /** Heartbeats alone tell: a client may send its questions over a channel of their own (vipChannelEnabled). */
    boolean areSeveral(Heartbeat heartbeat, String address) {
        boolean areSeveral = speakers.areSeveral(heartbeat.client, address, System.nanoTime())
                && (clients == null || heartbeat.groups.stream().anyMatch(it -> areBothOpen(it, heartbeat.client)));
        if (areSeveral) {
            troubles.tell("two processes have one client id", heartbeat.client + ", one of them at " + address);
        }
        return areSeveral;
    }

    /** A client that has connected anew has closed its former channel; what it said over that may be heard late. */
    private boolean areBothOpen(String group, String client) {
        ConsumerGroupInfo known = settings.follows(group) ? clients.getConsumerGroupInfo(group) : null;
        return known != null && Speakers.areSeveralOpen(known.getChannelInfoTable(), client);
    }

    /**
     * Whether this broker would refuse all pulls of a group: it has heard none of what is subscribed, because it has
     * restarted, or has lost all clients for a while.
     */
    private boolean isWithoutTopics(String group) {
        ConsumerGroupInfo known = clients == null ? null : clients.getConsumerGroupInfo(group);
        return known != null && known.getSubscriptionTable().isEmpty();
    }

    private void answer(RemotingCommand request, RemotingCommand response) {
        QueryAssignmentRequestBody asked =
                RemotingSerializable.decode(request.getBody(), QueryAssignmentRequestBody.class);
        if (!Room.areNames(asked.getClientId(), asked.getConsumerGroup())) {
            return;
        }
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
                troubles.note("the hook is loaded, and follows the controller of " + read.servers);
                return read;
            }
            troubles.note("trimtab.kafka is not set: nobody follows a controller");
        } catch (IOException | RuntimeException e) {
            troubles.tell("a setting is wrong, so nobody follows a controller", e.toString());
        }
        return null;
    }
}
