package trimtab.checks;

import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.Message;

/**
 * What a request takes at a broker with trimtab's hook, and at one without, by turns.
 *
 * <p>{@code HookCost NAMESRV_BARE NAMESRV_HOOKED TOPIC ROUNDS}. A request is a message that is sent and waited for:
 * nearly all of it is the broker's work. For each round it says on stdout how many microseconds one took, at the
 * bare broker and at the other. The first rounds, in which Java compiles, are not said.
 */
public final class HookCost {
    private static final int REQUESTS = 2_000;
    private static final int WARMING = 4;
    private static final byte[] BODY = new byte[100];

    private HookCost() {}

    public static void main(String[] args) throws Exception {
        DefaultMQProducer bare = producer("bare", args[0]);
        DefaultMQProducer hooked = producer("hooked", args[1]);
        int rounds = Integer.parseInt(args[3]);
        for (int round = -WARMING; round < rounds; round++) {
            List<DefaultMQProducer> turns = round % 2 == 0 ? List.of(bare, hooked) : List.of(hooked, bare);
            List<Double> took = new ArrayList<>();
            for (DefaultMQProducer one : turns) {
                took.add(slice(one, args[2]));
            }
            if (round >= 0) {
                System.out.println(took.get(turns.indexOf(bare)) + " " + took.get(turns.indexOf(hooked)));
            }
        }
        bare.shutdown();
        hooked.shutdown();
        System.exit(0);
    }

    private static DefaultMQProducer producer(String name, String server) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer(name);
        producer.setNamesrvAddr(server);
        producer.setInstanceName(name);
        producer.start();
        return producer;
    }

    /** Microseconds for a request. */
    private static double slice(DefaultMQProducer producer, String topic) throws Exception {
        long began = System.nanoTime();
        for (int sent = 0; sent < REQUESTS; sent++) {
            producer.send(new Message(topic, BODY));
        }
        return (System.nanoTime() - began) / 1_000.0 / REQUESTS;
    }
}
