package trimtab.checks;

import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.transaction.queue.DefaultTransactionalMessageCheckListener;

/** A plug-in of a broker that settles transactions, as an application may have one; it says whose it is. */
public final class Settling extends DefaultTransactionalMessageCheckListener {
    /** Made by the broker. */
    public Settling() {}

    @Override
    public void setBrokerController(BrokerController broker) {
        super.setBrokerController(broker);
        System.out.println("settles transactions of " + broker.getBrokerConfig().getBrokerName());
    }
}
