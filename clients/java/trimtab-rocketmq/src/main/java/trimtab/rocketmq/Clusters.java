package trimtab.rocketmq;

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
 * packages in 4.9 than in 5, so they are asked by name.
 */
final class Clusters {
    private final DefaultMQProducerImpl producer;
    private final String given;
    private final Map<String, String> known = new ConcurrentHashMap<>();

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
        String found = known.get(broker);
        if (found == null) {
            learn();
            found = known.get(broker);
        }
        return found;
    }

    /** Where messages for a broker go; null: not known. */
    String address(String broker) {
        MQClientInstance shared = producer.getmQClientFactory();
        return shared == null ? null : shared.findBrokerAddressInPublish(broker);
    }

    /** Reads the routes again: a broker may have come back as one of another cluster. */
    void refresh() {
        if (given == null) {
            learn();
        }
    }

    private void learn() {
        MQClientInstance shared = producer.getmQClientFactory();
        if (shared == null) {
            return; // it was not started yet
        }
        for (Object route : new ArrayList<Object>(shared.getTopicRouteTable().values())) {
            for (Object each : (Collection<?>) ask(route, "getBrokerDatas")) {
                Object cluster = ask(each, "getCluster");
                if (cluster != null) {
                    known.put((String) ask(each, "getBrokerName"), (String) cluster);
                }
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
