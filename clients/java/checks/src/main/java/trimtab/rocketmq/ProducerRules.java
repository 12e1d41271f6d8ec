package trimtab.rocketmq;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;
import org.apache.rocketmq.client.impl.producer.TopicPublishInfo;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.constant.PermName;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Plays what a producer that avoids brokers does, without a server, for tests of it.
 *
 * <p>A line on stdin names the story; each is answered by a line. Routes have other packages in 4.9 than in 5,
 * so they are made by name.
 */
public final class ProducerRules {
    private static final int MESSAGES = 200;

    private final MQClientInstance shared = new MQClientInstance(new ClientConfig(), 0, "played");
    private final DefaultMQProducerImpl producer = new DefaultMQProducerImpl(new DefaultMQProducer("checkout")) {
        @Override
        public MQClientInstance getmQClientFactory() {
            return shared;
        }
    };

    private ProducerRules() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // RocketMQ's logs speak of themselves
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            ProducerRules rules = new ProducerRules();
            out.println("renamed".equals(line) ? rules.renamed() : rules.slow());
        }
        System.exit(0); // RocketMQ's client goes on
    }

    /**
     * The cluster of a broker by its route; after the name server says another one, of which the client keeps
     * the old route; and by its route again, as the name server says nothing of another broker.
     */
    private String renamed() throws Exception {
        Clusters clusters = new Clusters(producer, null);
        route("a", "west");
        String before = clusters.of("a");
        Object info = make("ClusterInfo", "body");
        call(info, "setBrokerAddrTable", new HashMap<>(Map.of("a", broker("a", "east"))));
        clusters.hear(info);
        clusters.refresh();
        String after = clusters.of("a");
        route("b", "west");
        return before + " " + after + " " + clusters.of("b");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private void route(String name, String cluster) throws Exception {
        Object route = make("TopicRouteData");
        call(route, "setBrokerDatas", List.of(broker(name, cluster)));
        ((Map) shared.getTopicRouteTable()).put("orders of " + name, route);
    }

    private static Object broker(String name, String cluster) throws Exception {
        Object broker = make("BrokerData");
        call(broker, "setBrokerName", name);
        call(broker, "setCluster", cluster);
        return broker;
    }

    /** Where messages go when b is out by a verdict, c has been slow, and a has only another topic. */
    private String slow() throws Exception {
        call(producer, "setSendLatencyFaultEnable", true);
        Verdicts verdicts = new Verdicts("me", new Clusters(producer, "east"));
        Tolerance.before(producer, verdicts);
        String verdict = "{\"v\":1,\"kind\":\"verdict\",\"cluster\":\"east\",\"broker\":\"b\",\"available\":false}";
        verdicts.read(bytes("east/b"), bytes(verdict), System.currentTimeMillis(), true);
        for (String broker : List.of("a", "b", "c")) {
            call(producer, "updateFaultItem", broker, "b".equals(broker) ? 10L : 600L, false, true);
        }
        TopicPublishInfo topic = topic("b", "c");
        Set<String> chosen = new TreeSet<>();
        for (int number = 0; number < MESSAGES; number++) {
            MessageQueue queue = (MessageQueue) call(producer, "selectOneMessageQueue", topic, null, false);
            chosen.add(queue.getBrokerName());
        }
        return chosen.toString();
    }

    private static TopicPublishInfo topic(String... brokers) throws Exception {
        List<MessageQueue> queues = new ArrayList<>();
        List<Object> data = new ArrayList<>();
        for (String broker : brokers) {
            queues.add(new MessageQueue("orders", broker, 0));
            Object each = make("QueueData");
            call(each, "setBrokerName", broker);
            call(each, "setWriteQueueNums", 1);
            call(each, "setPerm", PermName.PERM_READ | PermName.PERM_WRITE);
            data.add(each);
        }
        Object route = make("TopicRouteData");
        call(route, "setQueueDatas", data);
        TopicPublishInfo topic = new TopicPublishInfo();
        topic.setMessageQueueList(queues);
        call(topic, "setTopicRouteData", route);
        return topic;
    }

    private static Object make(String type) throws Exception {
        return make(type, "route");
    }

    private static Object make(String type, String kind) throws Exception {
        Class<?> route = method(TopicPublishInfo.class, "setTopicRouteData").getParameterTypes()[0];
        String protocol = route.getPackage().getName().replaceFirst("route$", "");
        Class<?> made = Class.forName(protocol + kind + "." + type);
        return made.getDeclaredConstructor().newInstance();
    }

    /** With as many of the arguments as it takes in this release. */
    private static Object call(Object thing, String name, Object... arguments) throws Exception {
        Method method = method(thing.getClass(), name);
        Object[] taken = new Object[method.getParameterCount()];
        System.arraycopy(arguments, 0, taken, 0, taken.length);
        method.setAccessible(true);
        return method.invoke(thing, taken);
    }

    private static Method method(Class<?> type, String name) {
        for (Method each : type.getMethods()) {
            if (name.equals(each.getName())) {
                return each;
            }
        }
        throw new IllegalStateException(type + " has no " + name);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
