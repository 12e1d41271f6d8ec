package trimtab.rocketmq;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;

/**
 * Which cluster each broker is of, as the name server has told the client.
 *
 * <p>A broker's name is unique at a name server, so it has one cluster. The classes of a route have other
 * packages in 4.9 than in 5, as has the name server's answer, so they are asked by name.
 */
final class Clusters {
    /** Between two questions to the name server, as RocketMQ's client has it for routes. */
    private static final long ASK_NS = 30_000_000_000L;
    /** The longest wait for an answer; nothing is sent or read meanwhile, but messages are. */
    private static final long PATIENCE_MS = 1_000;

    private final DefaultMQProducerImpl producer;
    private final String given;
    /** By the routes, which are there at once. */
    private final Map<String, String> routed = new ConcurrentHashMap<>();
    /** By the name server, which counts: to the client a route with another cluster is the same as before. */
    private final Map<String, String> said = new ConcurrentHashMap<>();
    private long asked = System.nanoTime();

    /** Where all brokers count for the cluster of the given name; null: each for its own. */
    Clusters(DefaultMQProducerImpl producer, String given) {
        this.producer = producer;
        this.given = given;
    }

    /** The cluster of a broker; null: the client has no route to it. */
    String of(String broker) {
        if (given != null) {
            return given;
        }
        String found = said.get(broker);
        if (found != null) {
            return found;
        }
        if (!routed.containsKey(broker)) {
            learn();
        }
        return routed.get(broker);
    }

    /** Where messages for a broker go; null: not known. */
    String address(String broker) {
        MQClientInstance shared = producer.getmQClientFactory();
        return shared == null ? null : shared.findBrokerAddressInPublish(broker);
    }

    /** Looks again, at times: a broker may have come back as one of another cluster. */
    void refresh() {
        if (given != null) {
            return;
        }
        learn();
        MQClientInstance shared = producer.getmQClientFactory();
        if (shared != null && System.nanoTime() - asked >= ASK_NS) {
            inquire(shared.getMQClientAPIImpl());
            asked = System.nanoTime();
        }
    }

    private void inquire(Object api) {
        try {
            hear(api.getClass().getMethod("getBrokerClusterInfo", long.class).invoke(api, PATIENCE_MS));
        } catch (InvocationTargetException e) { // it does not answer, or does not know the question
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RocketMQ's client cannot ask for clusters", e);
        }
    }

    /** Takes what the name server says of all brokers that it has. */
    void hear(Object info) {
        Map<?, ?> brokers = (Map<?, ?>) ask(info, "getBrokerAddrTable");
        if (brokers != null) {
            enter(brokers.values(), said);
        }
    }

    private void learn() {
        MQClientInstance shared = producer.getmQClientFactory();
        if (shared == null) {
            return; // it was not started yet
        }
        for (Object route : new ArrayList<Object>(shared.getTopicRouteTable().values())) {
            enter((Collection<?>) ask(route, "getBrokerDatas"), routed);
        }
    }

    private static void enter(Collection<?> brokers, Map<String, String> clusters) {
        for (Object each : brokers) {
            Object cluster = ask(each, "getCluster");
            if (cluster != null) {
                clusters.put((String) ask(each, "getBrokerName"), (String) cluster);
            }
        }
    }

    private static Object ask(Object thing, String getter) {
        try {
            return thing.getClass().getMethod(getter).invoke(thing);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("RocketMQ's client does not answer " + getter, e);
        }
    }
}
