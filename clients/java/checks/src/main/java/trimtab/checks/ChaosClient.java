package trimtab.checks;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQClientException;

/** One of RocketMQ's consumers in a round of chaos, of whichever kind. */
interface ChaosClient {
    /** Says where its servers are, and what it is called. */
    static <C extends ClientConfig> C named(C consumer, String names, String name) {
        consumer.setNamesrvAddr(names);
        consumer.setClientIP("chaos");
        consumer.setInstanceName(name);
        return consumer;
    }

    void start() throws MQClientException;

    /** Ends in good order, also if it has not started. */
    void end() throws InterruptedException;
}
