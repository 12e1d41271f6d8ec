package trimtab.checks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import trimtab.kafka.ConsumerOptions;
import trimtab.kafka.TrimtabConsumer;

/**
 * What a message costs with our consumer, and with a bare {@code KafkaConsumer} on the same messages.
 *
 * <p>{@code Throughput SERVERS PREFIX GROUP TOPIC ROUNDS}: both read slices in turns, and the one that begins changes
 * from round to round. Both wait as long for a fetch. Speed is by the clock, cost by
 * the processor time of the thread that polls, which does all of the reading: it is the same on a busy machine.
 * The topic has eight partitions, and the controller answers.
 */
public final class Throughput {
    private static final int QUEUES = 8;
    private static final int MESSAGES = 1_000_000;
    /** A slice is most of a second. */
    private static final int SLICE = 500_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Duration WAIT = Duration.ofSeconds(1);

    private Throughput() {}

    public static void main(String[] args) {
        Map<String, Object> servers = Map.of("bootstrap.servers", args[0]);
        fill(servers, args[3]);
        List<TopicPartition> places = IntStream.range(0, QUEUES)
                .mapToObj(it -> new TopicPartition(args[3], it)).collect(Collectors.toList());
        Map<String, Object> reading = Map.of("bootstrap.servers", args[0], "enable.auto.commit", false,
                "fetch.max.wait.ms", 25, "isolation.level", "read_committed");
        ConsumerOptions options = ConsumerOptions.of(args[0], args[2], args[3]).prefix(args[1]);
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> bare = new KafkaConsumer<>(reading, bytes, bytes);
                TrimtabConsumer<byte[], byte[]> ours = new TrimtabConsumer<>(options, bytes, bytes)) {
            bare.assign(places);
            while (ours.assignment().size() < QUEUES) {
                ours.poll(WAIT);
            }
            List<Double> speeds = new ArrayList<>();
            List<Double> costs = new ArrayList<>();
            for (int round = 0; round < Integer.parseInt(args[4]); round++) {
                boolean oursFirst = round % 2 == 1;
                double[] mine = oursFirst ? mine(ours, places) : null;
                bare.seekToBeginning(places);
                double[] theirs = slice(() -> bare.poll(WAIT));
                mine = oursFirst ? mine : mine(ours, places);
                speeds.add(mine[0] / theirs[0]);
                costs.add(mine[1] / theirs[1]);
                System.out.printf("bare %,.0f/s %.0f ns, ours %,.0f/s %.0f ns%n", theirs[0], theirs[1], mine[0], mine[1]);
            }
            System.out.printf("speed p50 %.3f, cost p50 %.3f%n", median(speeds), median(costs));
        }
    }

    private static double[] mine(TrimtabConsumer<byte[], byte[]> ours, List<TopicPartition> places) {
        places.forEach(it -> ours.seek(it, 0));
        return slice(() -> ours.poll(WAIT));
    }

    /** Of all but the first ones, in which Java compiles. */
    private static double median(List<Double> ratios) {
        double[] sorted = ratios.stream().skip(2).mapToDouble(it -> it).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    /** Messages per second, and nanoseconds of the processor per message. */
    private static double[] slice(Supplier<ConsumerRecords<byte[], byte[]>> poll) {
        long size = 0;
        int count = 0;
        while (count < SLICE / 10) { // both fetch ahead by then
            count += poll.get().count();
        }
        count = 0;
        long began = System.nanoTime();
        long used = THREADS.getCurrentThreadCpuTime();
        while (count < SLICE) {
            for (ConsumerRecord<byte[], byte[]> record : poll.get()) {
                size += record.value().length;
                count++;
            }
        }
        if (size == 0) {
            throw new IllegalStateException("nothing was read");
        }
        double each = (double) (THREADS.getCurrentThreadCpuTime() - used) / count;
        return new double[] {count / ((System.nanoTime() - began) / 1e9), each};
    }

    private static void fill(Map<String, Object> servers, String topic) {
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(servers, bytes, bytes)) {
            for (int number = 0; number < MESSAGES; number++) {
                producer.send(new ProducerRecord<>(topic, number % QUEUES, null, new byte[100]));
            }
        }
    }
}
