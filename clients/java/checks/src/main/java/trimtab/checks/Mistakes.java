package trimtab.checks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import trimtab.Grant;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.kafka.ConsumerOptions;
import trimtab.kafka.TrimtabConsumer;
import trimtab.protocol.Queue;
import trimtab.rocketmq.ProducerOptions;
import trimtab.rocketmq.Trimtab;
import trimtab.rocketmq.TrimtabProducer;

/** Makes mistakes, and says on stdout what each is answered: its name, and the error. No server is needed. */
public final class Mistakes {
    private static final String NOBODY = "127.0.0.1:1";

    private Mistakes() {}

    public static void main(String[] args) {
        MemberOptions options = MemberOptions.of(NOBODY);
        make("push-twice", () -> {
            DefaultMQPushConsumer consumer = push();
            Trimtab.attach(consumer, options);
            Trimtab.attach(consumer, options);
        });
        make("push-late", () -> {
            DefaultMQPushConsumer consumer = push();
            consumer.setNamesrvAddr(NOBODY);
            try {
                consumer.start();
            } catch (IllegalStateException | MQClientException e) {
                System.out.println("no server " + e.getClass().getSimpleName());
            }
            Trimtab.attach(consumer, options);
        });
        make("lite-twice", () -> {
            DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("g");
            Trimtab.attach(consumer, options);
            Trimtab.attach(consumer, options);
        });
        make("pull-twice", () -> {
            DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("g");
            Trimtab.attach(consumer, options);
            Trimtab.attach(consumer, options);
        });
        make("producer-twice", () -> {
            DefaultMQProducer producer = new DefaultMQProducer("g");
            TrimtabProducer.attach(producer, ProducerOptions.of(NOBODY));
            TrimtabProducer.attach(producer, ProducerOptions.of(NOBODY));
        });
        make("topic-twice", () -> ConsumerOptions.of(NOBODY, "g", "a", "b", "a"));
        make("topic-odd", () -> ConsumerOptions.of(NOBODY, "g", "bad topic!"));
        make("topic-none", () -> reading().subscribe(List.of()));
        make("session-none", () -> ConsumerOptions.of(NOBODY, "g", "a").sessionTimeout(Duration.ZERO));
        make("revocation-none", () -> ConsumerOptions.of(NOBODY, "g", "a").revocationTimeout(Duration.ZERO));
        make("session-long", () -> MemberOptions.of(NOBODY).sessionTimeout(Duration.ofHours(25)));
        make("topic-dot", () -> ConsumerOptions.of(NOBODY, "g", "."));
        make("topics-many", () -> member("g", "m", IntStream.range(0, 1_001).mapToObj(it -> "t" + it).toArray(String[]::new)));
        make("topics-none", () -> member("g", "m"));
        make("member-empty", () -> ConsumerOptions.of(NOBODY, "g", "a").memberId(""));
        make("member-long", () -> member("g", "m".repeat(256), "a"));
        make("member-odd", () -> member("g", "m\n", "a"));
        Grant grant = new Grant(new Queue("a", "", 0), 1, null, null);
        make("position-none", () -> member("g", "m", "a").finish(Map.of(grant, -1L)));
        make("instance-empty", () -> MemberOptions.of(NOBODY).instance(""));
        make("group-ours", () -> ConsumerOptions.of(NOBODY, "$tick", "a"));
        make("reporter-empty", () -> ProducerOptions.of(NOBODY).reporter(""));
        make("report-long", () -> ProducerOptions.of(NOBODY).reportEvery(Duration.ofSeconds(11)));
        make("cluster-long", () -> ProducerOptions.of(NOBODY).cluster("c".repeat(256)));
        make("cluster-ours", () -> ProducerOptions.of(NOBODY).cluster("$tick"));
        make("kafka-null", () -> MemberOptions.of(NOBODY).kafka("client.id", null));
        make("guard-null", () -> ConsumerOptions.of(NOBODY, "g", "a").guardKafka("client.id", null));
        make("fetch-null", () -> ConsumerOptions.of(NOBODY, "g", "a").fetch("max.poll.records", null));
        System.exit(0); // RocketMQ's client goes on
    }

    private static TrimtabConsumer<String, String> reading() {
        ConsumerOptions options = ConsumerOptions.of(NOBODY, "g", "a");
        return new TrimtabConsumer<>(options, new StringDeserializer(), new StringDeserializer());
    }

    private static Member member(String group, String name, String... topics) {
        return new Member(group, name, List.of(topics), MemberOptions.of(NOBODY), null);
    }

    private static DefaultMQPushConsumer push() throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("g");
        consumer.subscribe("t", "*");
        consumer.registerMessageListener(
                (MessageListenerConcurrently) (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
        return consumer;
    }

    private static void make(String name, Mistake mistake) {
        try {
            mistake.make();
            System.out.println(name + " nothing");
        } catch (Exception e) {
            System.out.println(name + " " + e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    private interface Mistake {
        void make() throws Exception;
    }
}
