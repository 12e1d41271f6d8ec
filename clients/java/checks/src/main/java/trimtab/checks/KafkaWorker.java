package trimtab.checks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import trimtab.Grant;
import trimtab.kafka.ConsumerFailedException;
import trimtab.kafka.ConsumerListener;
import trimtab.kafka.ConsumerOptions;
import trimtab.kafka.Start;
import trimtab.kafka.TrimtabConsumer;

/**
 * A consumer of Kafka that does what it is told on stdin, and says on stdout what came of it.
 *
 * <p>{@code KafkaWorker SERVERS PREFIX GROUP TOPIC NAME [OPTION=VALUE...]}. Orders: {@code work FILE} has an
 * effect for each message, a line in the file, until {@code stop}; {@code take N}, {@code idle MS}, {@code
 * commit}, {@code pass N}, {@code pause P}, {@code resume P}, {@code seek P OFFSET}, {@code sleep MS}, {@code
 * interrupt}, {@code interrupt THREAD}, {@code health}. At the end of stdin it closes its consumer.
 */
public final class KafkaWorker implements ConsumerListener {
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration HANG = Duration.ofSeconds(30);
    private static final String UNREADABLE = "unreadable";
    private static final String HANGING = "hanging";

    private final String topic;
    private final String name;
    private final TrimtabConsumer<String, String> consumer;
    private boolean fails;
    private String hangs = "";
    private List<ConsumerRecord<String, String>> taken = new ArrayList<>();

    private KafkaWorker(String[] args) {
        topic = args[3];
        name = args[4];
        ConsumerOptions options = ConsumerOptions.of(args[0], args[2], topic)
                .prefix(args[1])
                .memberId(name)
                .commitInterval(Duration.ofMillis(100))
                .listener(this);
        for (int at = 5; at < args.length; at++) {
            String[] option = args[at].split("=", 2);
            set(options, option[0], option[1]);
        }
        consumer = new TrimtabConsumer<>(options, new StringDeserializer(), KafkaWorker::read);
    }

    public static void main(String[] args) throws Exception {
        KafkaWorker worker = new KafkaWorker(args);
        try (TrimtabConsumer<String, String> consumer = worker.consumer) {
            worker.obey();
        } catch (ConsumerFailedException e) {
            say(e.getClass().getSimpleName() + " " + e.getMessage());
            System.exit(1);
        }
        say("closed");
    }

    private void set(ConsumerOptions options, String option, String value) {
        switch (option) {
            case "commit":
                options.commitManually();
                break;
            case "start":
                options.start("latest".equals(value) ? Start.latest() : Start.since(Instant.parse(value)));
                break;
            case "maxPoll":
                options.maxPollInterval(Duration.parse(value));
                break;
            case "session":
                options.sessionTimeout(Duration.parse(value));
                break;
            case "revocation":
                options.revocationTimeout(Duration.parse(value));
                break;
            case "hangs":
                hangs = value;
                break;
            case "fails":
                fails = true;
                break;
            case "atOnce":
                options.fetch("max.poll.records", Integer.valueOf(value));
                break;
            default:
                options.kafka(option, value);
        }
    }

    private void obey() throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            String[] order = line.split(" ");
            switch (order[0]) {
                case "work":
                    new Thread(() -> stopAt(orders), "orders").start();
                    work(Path.of(order[1]));
                    return;
                case "take":
                    take(Integer.parseInt(order[1]));
                    break;
                case "idle":
                    say("idle " + consumer.poll(Duration.ofMillis(Long.parseLong(order[1]))).count());
                    break;
                case "commit":
                    say("committed " + consumer.commit(taken));
                    break;
                case "pass":
                    pass(Integer.parseInt(order[1]));
                    break;
                case "pause":
                    consumer.pause(place(order[1]));
                    break;
                case "resume":
                    consumer.resume(place(order[1]));
                    break;
                case "seek":
                    consumer.seek(place(order[1]), Long.parseLong(order[2]));
                    break;
                case "interrupt":
                    if (order.length > 1) {
                        Thread.getAllStackTraces().keySet().stream()
                                .filter(it -> it.getName().equals(order[1])).forEach(Thread::interrupt);
                        break;
                    }
                    Thread.currentThread().interrupt(); // as shutdownNow() of an executor does
                    return;
                case "sleep":
                    Thread.sleep(Long.parseLong(order[1]));
                    break;
                default:
                    say("health " + consumer.health());
            }
        }
    }

    /** Works until it is told to stop: whatever was handed out is finished. */
    private void work(Path effects) throws IOException {
        while (consumer.isRunning()) {
            for (ConsumerRecord<String, String> it : consumer.poll(WAIT)) {
                String effect = it.partition() + " " + it.offset() + " " + it.value() + " " + name + "\n";
                Files.writeString(effects, effect, StandardOpenOption.APPEND);
            }
        }
    }

    private void stopAt(BufferedReader orders) {
        try {
            while (orders.readLine() != null) {
                // whatever it is told now is to stop
            }
            say(consumer.stop(Duration.ofSeconds(30)) ? "stopped" : "not stopped");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes so many at least, and says where they stand. */
    private void take(int count) {
        taken = new ArrayList<>();
        while (taken.size() < count) {
            consumer.poll(WAIT).forEach(taken::add);
        }
        Map<Integer, List<Long>> places = new TreeMap<>();
        taken.forEach(it -> places.computeIfAbsent(it.partition(), key -> new ArrayList<>()).add(it.offset()));
        say("took " + places.toString().replace(" ", ""));
    }

    /** Meets so many messages that cannot be read, and passes each. */
    private void pass(int count) {
        for (int passed = 0; passed < count;) {
            try {
                consumer.poll(WAIT);
            } catch (RecordDeserializationException e) {
                say("passed " + e.topicPartition().partition() + " " + e.offset() + " " + consumer.pass(e));
                passed++;
            }
        }
    }

    private static String read(String topic, byte[] value) {
        String text = value == null ? null : new String(value, StandardCharsets.UTF_8);
        if (UNREADABLE.equals(text)) {
            throw new SerializationException("that is no message");
        }
        if (HANGING.equals(text)) {
            say("hangs");
            LockSupport.parkNanos(HANG.toNanos()); // as one whose schema registry does not answer
        }
        return text;
    }

    private TopicPartition place(String number) {
        return new TopicPartition(topic, Integer.parseInt(number));
    }

    @Override
    public void onGranted(List<Grant> grants) {
        say("granted " + grants);
        hang("onGranted");
        if (fails) {
            throw new AssertionError("not at all");
        }
    }

    @Override
    public void onRevoked(List<Grant> grants) {
        say("revoked " + grants);
        hang("onRevoked");
    }

    private void hang(String call) {
        for (long end = System.nanoTime() + HANG.toNanos(); hangs.equals(call) && System.nanoTime() < end;) {
            LockSupport.parkNanos(HANG.toNanos());
        }
    }

    @Override
    public void onLost(List<Grant> grants) {
        say("lost " + grants);
    }

    @Override
    public void onTrouble(String text) {
        say("trouble " + text);
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }
}
