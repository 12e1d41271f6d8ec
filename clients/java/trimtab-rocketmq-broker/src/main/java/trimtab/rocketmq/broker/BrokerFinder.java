package trimtab.rocketmq.broker;

import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.transaction.AbstractTransactionalMessageCheckListener;
import org.apache.rocketmq.broker.transaction.queue.DefaultTransactionalMessageCheckListener;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.RPCHook;

/**
 * Finds the broker that a hook belongs to: the hook is told requests, and nothing else.
 *
 * <p>A broker introduces itself to only one kind of plug-in, which settles transactions, and does so just
 * before it loads its hooks, by the same thread. So this is such a plug-in. It settles transactions as the one
 * does that would be there without it: yours, if there is one, or RocketMQ's own. And it has the broker work with all
 * the hooks that are there.
 */
public final class BrokerFinder extends DefaultTransactionalMessageCheckListener {
    private static final ThreadLocal<BrokerController> FOUND = new ThreadLocal<>();

    private final AbstractTransactionalMessageCheckListener other = other();

    /** Made by the broker. */
    public BrokerFinder() {}

    /** The broker that this thread has found and that no hook has taken yet; null: none. */
    static BrokerController take() {
        BrokerController found = FOUND.get();
        FOUND.remove();
        return found;
    }

    @Override
    public void setBrokerController(BrokerController broker) {
        FOUND.set(broker);
        super.setBrokerController(broker);
        if (other != null) {
            other.setBrokerController(broker);
        }
        // Of hooks, too, it reads one file: that may be ours or yours.
        Plugins.unread(RPCHook.class).forEach(it -> broker.registerServerRPCHook(Plugins.make(RPCHook.class, it)));
    }

    @Override
    public void resolveHalfMsg(MessageExt message) {
        if (other == null) {
            super.resolveHalfMsg(message);
        } else {
            other.resolveHalfMsg(message);
        }
    }

    @Override
    public void sendCheckMessage(MessageExt message) throws Exception {
        if (other == null) {
            super.sendCheckMessage(message);
        } else {
            other.sendCheckMessage(message);
        }
    }

    @Override
    public void resolveDiscardMsg(MessageExt message) {
        if (other == null) {
            super.resolveDiscardMsg(message);
        } else {
            other.resolveDiscardMsg(message);
        }
    }

    @Override
    public void shutDown() {
        super.shutDown();
        if (other != null) {
            other.shutDown();
        }
    }

    /** The next plug-in of this kind on the class path, which the broker would have loaded. */
    private static AbstractTransactionalMessageCheckListener other() {
        Class<AbstractTransactionalMessageCheckListener> kind = AbstractTransactionalMessageCheckListener.class;
        return Plugins.files(kind).stream()
                .flatMap(it -> it.stream().limit(1))
                .filter(it -> !it.equals(BrokerFinder.class.getName()))
                .findFirst().map(it -> Plugins.make(kind, it)).orElse(null);
    }
}
