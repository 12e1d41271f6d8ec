package trimtab.kafka;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import trimtab.Grant;
import trimtab.protocol.Queue;

/**
 * Tells a test what a consumer takes for done of one queue.
 *
 * <p>A line is {@code read FIRST LAST} (these are handed out), {@code done LAST} (the application commits up to this
 * one; answers whether that counts), {@code on FROM TO END} (Kafka does not have the next one, so it reads
 * on elsewhere; its log ends there, and may have a fourth, where it was cut), {@code heard OFFSET} (Kafka says that this is committed), {@code awaited} (answers whether something was handed out and not committed), {@code stray} (Kafka does not have the next one), {@code seek TO}, {@code token OFFSET} (answers
 * whether that message came under the present grant), {@code gone} (the application has left its loop), {@code give} (the queue is given up; answers where the heir
 * is to begin, and what is committed), or {@code position} (answers where others would begin, and what Kafka has,
 * if that is known).
 */
public final class IntakeRules {
    private static final TopicPartition PLACE = new TopicPartition("orders", 0);
    private static final Grant GRANT = new Grant(new Queue("orders", "", 0), 1, null, null);

    private final Intake intake = new Intake(true);

    private IntakeRules(long at) {
        intake.begin(GRANT, at, at);
        intake.plan(); // the client has gone there
    }

    /** Begins at an offset. */
    public static void main(String[] args) throws IOException {
        IntakeRules rules = new IntakeRules(Long.parseLong(args[0]));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(rules.answer(line.split(" ")));
        }
    }

    private String answer(String[] asked) {
        switch (asked[0]) {
            case "read":
                List<ConsumerRecord<String, String>> read =
                        LongStream.rangeClosed(Long.parseLong(asked[1]), Long.parseLong(asked[2]))
                                .mapToObj(IntakeRules::record).collect(Collectors.toList());
                intake.handOut(new ConsumerRecords<>(Map.of(PLACE, read), Map.of()), Set.of(GRANT));
                return "read";
            case "done":
                return Boolean.toString(!intake.done(Map.of(PLACE, record(Long.parseLong(asked[1])))).isEmpty());
            case "on":
                intake.goOn(PLACE, Long.parseLong(asked[1]), Long.parseLong(asked[2]), Long.parseLong(asked[3]),
                        asked.length > 4 ? Long.valueOf(asked[4]) : null);
                intake.plan();
                return "on";
            case "heard":
                intake.heard(Map.of(GRANT, Long.parseLong(asked[1])));
                return "heard";
            case "stray":
                intake.stray(Set.of(PLACE));
                return intake.plan().paused.contains(PLACE) ? "stray" : "asked for again";
            case "seek":
                intake.seek(PLACE, Long.parseLong(asked[1]), () -> true);
                intake.plan();
                return "sought";
            case "token":
                return Boolean.toString(intake.giverOf(record(Long.parseLong(asked[1]))) != null);
            case "gone":
                intake.giveUp();
                return "gone";
            case "give":
                Reading given = reading();
                intake.end(Set.of(GRANT));
                return intake.positionToGive(given) + " " + intake.due(false, Set.of(given)).values();
            case "awaited":
                return Boolean.toString(intake.isUncommitted(reading()));
            case "position":
                return intake.position(reading()) + " " + reading().committed;
            default:
                throw new IllegalArgumentException(asked[0]);
        }
    }

    private Reading reading() {
        return intake.readingsOf(Set.of(GRANT)).get(0);
    }

    private static ConsumerRecord<String, String> record(long offset) {
        return new ConsumerRecord<>(PLACE.topic(), PLACE.partition(), offset, "", "");
    }
}
