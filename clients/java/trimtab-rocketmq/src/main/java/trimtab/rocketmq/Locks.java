package trimtab.rocketmq;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.JsonWriter;
import trimtab.protocol.Queue;

/** The locks that brokers keep on queues which are worked on in order: a client has them, for a minute at a time. */
final class Locks {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** RocketMQ's number of the request, the same in 4 and 5. */
    private static final int UNLOCK_BATCH_MQ = 42;
    private static final int SUCCESS = 0;
    /** As RocketMQ's own client has for this request. */
    private static final long PATIENCE_MS = 1_000;

    private final Client client;

    Locks(Client client) {
        this.client = client;
    }

    /**
     * Takes the lock that a former owner of queues has at their brokers.
     *
     * <p>It has released them, or is dead: so says the log. The broker does not know that, and would
     * keep the queues locked for a minute.
     */
    void take(String formerOwner, List<Queue> queues) {
        Map<String, List<Map<String, Object>>> byBroker = new TreeMap<>();
        for (Queue queue : queues) {
            Map<String, Object> said = new LinkedHashMap<>();
            said.put("topic", queue.topic);
            said.put("brokerName", queue.broker);
            said.put("queueId", queue.id);
            byBroker.computeIfAbsent(queue.broker, it -> new ArrayList<>()).add(said);
        }
        byBroker.forEach((broker, named) -> {
            Map<String, Object> order = new LinkedHashMap<>();
            order.put("consumerGroup", client.group());
            order.put("clientId", formerOwner);
            order.put("mqSet", named);
            String trouble = unlock(broker, JsonWriter.write(order));
            if (trouble != null) {
                LOG.warn("the queues of {} stay locked for up to a minute: {}", broker, trouble);
            }
        });
    }

    /** Says what went wrong; null: nothing. */
    private String unlock(String broker, String order) {
        String address = client.shared().findBrokerAddressInPublish(broker);
        if (address == null) {
            return "its address is not known yet"; // RocketMQ's client would ask a name server instead
        }
        RemotingCommand command = RemotingCommand.createRequestCommand(UNLOCK_BATCH_MQ, null);
        command.setBody(order.getBytes(StandardCharsets.UTF_8));
        try {
            RemotingCommand answer =
                    client.shared().getMQClientAPIImpl().getRemotingClient().invokeSync(address, command, PATIENCE_MS);
            return answer.getCode() == SUCCESS ? null : "it answers " + answer.getCode() + ": " + answer.getRemark();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        } catch (Exception e) { // RocketMQ declares five, and the answer to all is to wait
            return e.toString();
        }
    }
}
