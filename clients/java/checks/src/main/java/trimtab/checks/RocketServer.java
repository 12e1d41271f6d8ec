package trimtab.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.client.ConsumerGroupInfo;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/**
 * A real name server, real brokers of RocketMQ, and a producer, all in one process.
 *
 * <p>{@code RocketServer FOLDER PORT [CLUSTER [BROKER...]]}. Its name server listens on that port. If
 * brokers have trimtab's hook, that of the last one copies nothing. It obeys lines: {@code topic NAME
 * QUEUES} makes a topic at each broker ({@code refused TOPIC}: a pull from it was, as not subscribed), {@code send TOPIC} begins to send numbers from 0 on, {@code stop}
 * prints how many were sent; {@code expire TOPIC QUEUES} has the first message of each queue be there no more;
 * {@code end BROKER} ends one; {@code rename BROKER CLUSTER} begins it again as one of another cluster; {@code forget BROKER} has the name server know nothing of
 * one until it registers again, ten seconds later at most; {@code cut GROUP CLIENT BROKER...} closes a
 * client's channels; {@code unsubscribe GROUP BROKER} has a broker forget what a group subscribes, as by a restart, and
 * waits until it has heard it again; {@code watch GROUP TOPIC} says from now on what is committed, {@code committed
 * BROKER QUEUE OFFSET NANOSECONDS}; {@code leave} has it send no more and watch nothing;
 * {@code names stop} and {@code names start} end its name server and begin another, which knows nothing until the brokers register with it; {@code direct GROUP CLIENT} has a client work on the message sent
 * last. It ends with stdin.
 */
public final class RocketServer {
    static {
        System.setProperty("tls.server.mode", "disabled"); // or each listener makes a key: most of the start
    }

    private static final String LOOPBACK = "127.0.0.1";
    /** A hundred and fifty messages a second keep three workers busy, and no more. */
    private static final int PAUSE_MS = 6;
    private static final int DIRECT_MS = 5_000;
    /** A broker tells the name server of a new topic after it has made it. */
    private static final long PATIENCE_NS = 30_000_000_000L;

    private final Path home;
    private final int port;
    private final String cluster;
    private NamesrvController names;
    private final Map<String, BrokerController> brokers = new LinkedHashMap<>();
    private final DefaultMQProducer producer = new DefaultMQProducer("checks");
    private final List<Thread> watches = new ArrayList<>();
    private volatile boolean sending;
    private volatile SendResult last;
    private volatile long sent;
    private Thread sender;

    private RocketServer(String[] args) throws Exception {
        home = Path.of(args[0]);
        port = Integer.parseInt(args[1]);
        cluster = args.length > 2 ? args[2] : "DefaultCluster";
        System.setProperty("rocketmq.home.dir", home.toString());
        startNames();
        startBroker("broker-a");
        for (int place = 3; place < args.length; place++) {
            if (place == args.length - 1) {
                System.clearProperty("trimtab.groups"); // a hook of the last one copies nothing
            }
            startBroker(args[place]);
        }
        producer.setNamesrvAddr(address());
        producer.setPollNameServerInterval(1_000); // it sends to a new queue at once
        producer.start();
    }

    public static void main(String[] args) throws Exception {
        RocketServer server = new RocketServer(args);
        System.out.println("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            System.out.println(server.obey(order.split(" ")));
        }
        System.exit(0);
    }

    private String obey(String[] order) throws Exception {
        switch (order[0]) {
            case "topic":
                int queues = Integer.parseInt(order[2]);
                TopicConfig topic = new TopicConfig(order[1], queues, queues);
                for (BrokerController broker : brokers.values()) {
                    broker.getTopicConfigManager().updateTopicConfig(topic);
                    broker.registerBrokerAll(true, false, true);
                }
                return "made";
            case "cut":
                for (int place = 3; place < order.length; place++) {
                    brokers.get(order[place]).getConsumerManager()
                            .findChannel(order[1], order[2]).getChannel().close().sync();
                }
                return "cut";
            case "unsubscribe":
                unsubscribe(brokers.get(order[2]).getConsumerManager().getConsumerGroupInfo(order[1]));
                return "subscribed again";
            case "end":
                brokers.remove(order[1]).shutdown();
                return "ended";
            case "rename": // at its port, so that its address stays
                BrokerController old = brokers.remove(order[1]);
                old.shutdown();
                int at = Integer.parseInt(old.getBrokerAddr().split(":")[1]);
                brokers.put(order[1], broker(home, order[2], order[1], address(), at));
                return "renamed";
            case "forget":
                BrokerController one = brokers.get(order[1]);
                one.getBrokerOuterAPI().unregisterBrokerAll(cluster, one.getBrokerAddr(), order[1], 0);
                return "forgotten";
            case "names":
                if ("start".equals(order[1])) {
                    startNames();
                } else {
                    names.shutdown();
                }
                return "names " + order[1];
            case "watch":
                brokers.forEach((name, broker) -> watch(name, broker, order[1], order[2]));
                return "watches";
            case "leave":
                sending = false;
                if (sender != null) {
                    sender.join();
                }
                watches.forEach(Thread::interrupt);
                watches.clear();
                return "left";
            case "expire":
                return expired(order[1], Integer.parseInt(order[2]));
            case "send":
                sending = true;
                sender = new Thread(() -> send(order[1]));
                sender.start();
                return "sends";
            case "stop":
                sending = false;
                sender.join();
                return "sent " + sent;
            case "direct":
                return "direct " + direct(order[1], order[2]);
            default:
                throw new IllegalArgumentException(order[0]);
        }
    }

    /** Has a client work on the message that was sent last, whoever has its queue. */
    private String direct(String group, String client) throws Exception {
        MessageQueue queue = last.getMessageQueue();
        String broker = brokers.get(queue.getBrokerName()).getBrokerAddr();
        return producer.getDefaultMQProducerImpl().getMqClientFactory().getMQClientAPIImpl()
                .consumeMessageDirectly(broker, group, client, queue.getTopic(), last.getOffsetMsgId(), DIRECT_MS)
                .getConsumeResult()
                .name();
    }

    private void send(String topic) {
        try {
            awaitRoute(topic);
            for (sent = 0; sending; sent++) {
                last = producer.send(new Message(topic, Long.toString(sent).getBytes(StandardCharsets.UTF_8)));
                Thread.sleep(PAUSE_MS);
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void unsubscribe(ConsumerGroupInfo group) throws InterruptedException {
        group.getSubscriptionTable().clear();
        long since = System.nanoTime();
        while (group.getSubscriptionTable().isEmpty()) {
            if (System.nanoTime() - since > PATIENCE_NS) {
                throw new IllegalStateException("nobody says what it subscribes");
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private void watch(String name, BrokerController broker, String group, String topic) {
        OffsetWatch watch = new OffsetWatch(broker, group, topic, (queue, offset) -> System.out.println(
                "committed " + name + " " + queue + " " + offset + " " + System.nanoTime()));
        watches.add(watch);
        watch.start();
    }

    /** The first message of each queue is there no more, so a group that is new begins at the end. */
    private String expired(String topic, int queues) throws InterruptedException {
        for (BrokerController broker : brokers.values()) {
            for (int id = 0; id < queues; id++) {
                ConsumeQueue queue = (ConsumeQueue) broker.getMessageStore().findConsumeQueue(topic, id);
                Waiting.await(() -> queue.getMaxOffsetInQueue() > 1);
                queue.setMinLogicOffset(ConsumeQueue.CQ_STORE_UNIT_SIZE);
            }
        }
        return "expired";
    }

    private void awaitRoute(String topic) throws Exception {
        for (long end = System.nanoTime() + PATIENCE_NS;;) {
            try {
                producer.fetchPublishMessageQueues(topic);
                return;
            } catch (MQClientException unknown) {
                if (System.nanoTime() > end) {
                    throw unknown;
                }
                Thread.sleep(PAUSE_MS);
            }
        }
    }

    private void startBroker(String name) throws Exception {
        brokers.put(name, broker(home, cluster, name, address(), 0));
    }

    /** A broker that serves, with its files in a folder of its own; 0: at a port that is free. */
    static BrokerController broker(Path home, String cluster, String name, String names, int port) throws Exception {
        BrokerConfig config = new BrokerConfig();
        config.setRegisterNameServerPeriod(10_000); // the shortest that it takes
        config.setBrokerName(name);
        config.setBrokerClusterName(cluster);
        config.setBrokerIP1(LOOPBACK);
        config.setNamesrvAddr(names);
        MessageStoreConfig store = new MessageStoreConfig();
        Path place = home.resolve(name);
        store.setStorePathRootDir(place.toString());
        store.setStorePathCommitLog(place.resolve("commitlog").toString());
        store.setMappedFileSizeCommitLog(64 * 1024 * 1024);
        store.setHaListenPort(0);
        store.setMessageDelayLevel("1s 1s 1s 1s"); // a message that failed comes again soon
        store.setTimerWheelEnable(System.getProperty("trimtab.kafka") != null); // to pop needs it, and a sixth of a core
        BrokerController broker =
                new BrokerController(config, listening(port), new NettyClientConfig(), store);
        if (!broker.initialize()) {
            throw new IllegalStateException("the broker does not begin");
        }
        broker.registerServerRPCHook(new Refusals());
        broker.start();
        return broker;
    }

    private void startNames() throws Exception {
        names = names(port);
    }

    /** A name server that serves. */
    static NamesrvController names(int port) throws Exception {
        NamesrvController names = new NamesrvController(new NamesrvConfig(), listening(port));
        names.initialize();
        names.start();
        return names;
    }

    /** Says which pulls are refused, because their topic is not what the group subscribes. */
    private static final class Refusals implements RPCHook {
        @Override
        public void doBeforeRequest(String from, RemotingCommand request) {
            // it is not answered yet
        }

        @Override
        public void doAfterResponse(String from, RemotingCommand request, RemotingCommand response) {
            if (response != null && response.getCode() == ResponseCode.SUBSCRIPTION_NOT_EXIST) {
                System.out.println("refused " + request.getExtFields().get("topic"));
            }
        }
    }

    private String address() {
        return LOOPBACK + ":" + port;
    }

    private static NettyServerConfig listening(int port) {
        NettyServerConfig config = new NettyServerConfig();
        config.setListenPort(port);
        config.setBindAddress(LOOPBACK);
        return config;
    }
}
