/*
 * Kafka's own server-side assignors, called as its group coordinator calls them.
 *
 * Run by bench/allocators/kafka.py with the Kafka server's jars on the class path, from this source. Reads questions
 * on stdin, "<uniform|range> <file> <answer file> <warm-ups> <runs>"; for each one answers the nanoseconds of
 * every run on a line and writes the owners to the answer file. Files are described in bench/allocators/scenario.py.
 * Slow calls are repeated less often: warming up and running end after a few seconds each, with one run at least.
 *
 * Only the public interfaces are implemented here. Two habits of the coordinator are kept, because the assignors
 * count on them: old assignments are unmodifiable maps, and the partitions that are assigned are known beforehand.
 */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.StringTokenizer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

public final class Assignors {
    /** Warming up ends after so long even if the calls are fewer: by then the code is compiled. */
    static final long WARM_NANOS = 3_000_000_000L;

    /** Its own time on the processor: what others do meanwhile does not count, nor does the garbage collector. */
    static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();

    /** So do the runs: what takes a second needs no eleven of them. */
    static final long RUN_NANOS = 3_000_000_000L;

    record Subscription(Set<Uuid> subscribedTopicIds, Optional<String> instanceId) implements MemberSubscription {
        public Optional<String> rackId() {
            return Optional.empty();
        }
    }

    record Owned(Map<Uuid, Set<Integer>> partitions) implements MemberAssignment { }

    /** A group as the coordinator would show it, and its topics. */
    static final class Scenario implements GroupSpec, SubscribedTopicDescriber {
        final List<Uuid> topics = new ArrayList<>();
        final Map<Uuid, Integer> sizes = new HashMap<>();
        final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        final Map<String, Owned> owned = new HashMap<>();
        final Map<Uuid, BitSet> taken = new HashMap<>();
        final List<String> names = new ArrayList<>();
        SubscriptionType type = SubscriptionType.HOMOGENEOUS;

        Scenario(Path file) throws IOException {
            try (BufferedReader lines = Files.newBufferedReader(file)) {
                for (int size : numbers(lines)) {
                    Uuid topic = new Uuid(1, topics.size() + 1);
                    topics.add(topic);
                    sizes.put(topic, size);
                    taken.put(topic, new BitSet(size));
                }
                Collections.addAll(names, lines.readLine().split(" "));
                String[] instances = lines.readLine().split(" ");
                List<Set<Uuid>> kinds = new ArrayList<>();
                int count = Integer.parseInt(lines.readLine());
                for (int kind = 0; kind < count; kind++) {
                    Set<Uuid> subscribed = new HashSet<>();
                    for (int topic : numbers(lines)) {
                        subscribed.add(topics.get(topic));
                    }
                    kinds.add(subscribed);
                }
                if (count > 1) {
                    type = SubscriptionType.HETEROGENEOUS;
                }
                int member = 0;
                for (int kind : numbers(lines)) {
                    Optional<String> instance = Optional.of(instances[member]).filter(name -> !name.equals("-"));
                    subscriptions.put(names.get(member++), new Subscription(kinds.get(kind), instance));
                }
                readOwners(lines);
            }
        }

        void readOwners(BufferedReader lines) throws IOException {
            List<Map<Uuid, Set<Integer>>> maps = new ArrayList<>();
            for (String ignored : names) {
                maps.add(new HashMap<>());
            }
            for (Uuid topic : topics) {
                int partition = 0;
                for (int owner : numbers(lines)) {
                    if (owner >= 0) {
                        maps.get(owner).computeIfAbsent(topic, key -> new HashSet<>()).add(partition);
                        taken.get(topic).set(partition);
                    }
                    partition++;
                }
            }
            for (int member = 0; member < maps.size(); member++) {
                owned.put(names.get(member), new Owned(Collections.unmodifiableMap(maps.get(member))));
            }
        }

        static int[] numbers(BufferedReader lines) throws IOException {
            StringTokenizer tokens = new StringTokenizer(lines.readLine());
            int[] numbers = new int[tokens.countTokens()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Integer.parseInt(tokens.nextToken());
            }
            return numbers;
        }

        void write(GroupAssignment assignment, Path file) throws IOException {
            Map<Uuid, int[]> owners = new HashMap<>();
            for (Uuid topic : topics) {
                int[] nobody = new int[sizes.get(topic)];
                java.util.Arrays.fill(nobody, -1);
                owners.put(topic, nobody);
            }
            for (int member = 0; member < names.size(); member++) {
                MemberAssignment share = assignment.members().get(names.get(member));
                if (share != null) {
                    for (Map.Entry<Uuid, Set<Integer>> entry : share.partitions().entrySet()) {
                        for (int partition : entry.getValue()) {
                            owners.get(entry.getKey())[partition] = member;
                        }
                    }
                }
            }
            try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
                for (Uuid topic : topics) {
                    StringJoiner line = new StringJoiner(" ");
                    for (int owner : owners.get(topic)) {
                        line.add(Integer.toString(owner));
                    }
                    out.println(line);
                }
            }
        }

        public Collection<String> memberIds() {
            return subscriptions.keySet();
        }

        public SubscriptionType subscriptionType() {
            return type;
        }

        public boolean isPartitionAssigned(Uuid topic, int partition) {
            return taken.get(topic).get(partition);
        }

        public boolean isPartitionAssignable(Uuid topic, int partition) {
            return true;
        }

        public MemberSubscription memberSubscription(String member) {
            return subscriptions.get(member);
        }

        public MemberAssignment memberAssignment(String member) {
            return owned.get(member);
        }

        public int numPartitions(Uuid topic) {
            return sizes.getOrDefault(topic, -1);
        }

        public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] words = line.split(" ");
            ConsumerGroupPartitionAssignor assignor =
                words[0].equals("range") ? new RangeAssignor() : new UniformAssignor();
            Scenario scenario = new Scenario(Path.of(words[1]));
            int warmUps = Integer.parseInt(words[3]);
            int runs = Integer.parseInt(words[4]);
            StringJoiner times = new StringJoiner(" ");
            GroupAssignment assignment = null;
            long warmed = System.nanoTime() + WARM_NANOS;
            for (int run = 0; run < warmUps && System.nanoTime() < warmed; run++) {
                assignor.assign(scenario, scenario);
            }
            long ended = System.nanoTime() + RUN_NANOS;
            for (int run = 0; run < runs && (run == 0 || System.nanoTime() < ended); run++) {
                long started = PROCESSOR.getCurrentThreadCpuTime();
                assignment = assignor.assign(scenario, scenario);
                times.add(Long.toString(PROCESSOR.getCurrentThreadCpuTime() - started));
            }
            scenario.write(assignment, Path.of(words[2]));
            System.out.println(times);
        }
    }
}
