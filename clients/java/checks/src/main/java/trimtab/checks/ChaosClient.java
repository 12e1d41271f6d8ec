package trimtab.checks;

import org.apache.rocketmq.client.exception.MQClientException;

/** One of RocketMQ's consumers in a round of chaos, of whichever kind. */
interface ChaosClient {
    void start() throws MQClientException;

    /** Ends in good order, also if it has not started. */
    void end() throws InterruptedException;
}
