package trimtab.rocketmq.broker;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.rocketmq.broker.client.ClientChannelInfo;
import org.apache.rocketmq.remoting.protocol.LanguageCode;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.body.QueryAssignmentRequestBody;
import trimtab.protocol.Assignment;
import trimtab.transport.Vain;

/**
 * Plays the rules of the brokers' hook, which look at no clock, for tests of them.
 *
 * <p>{@code HookRules GROUP}: heartbeats of that group are copied, and of {@code sender}, which each client has as a group of producers; patience is ten seconds. A line on stdin is
 * {@code heard CLIENT BROKER MS}, {@code lost CLIENT BROKER MS}, {@code gone CLIENT MS}, {@code ending CLIENT MS},
 * {@code speaks CLIENT ADDRESS S}, {@code post GROUP CLIENT S ASSIGNMENT|-}, {@code read}, {@code controller S}, {@code runs S}, {@code ends OFFSET S} (where the log of controllers ends, but for a partition without a leader; how many were asked), {@code word OFFSET} (one of a controller is read), {@code tidy S}, {@code repeats CLIENT GROUP [restarted]} (whether one whose heartbeat leaves out what it subscribes is asked for all, also by a broker that has heard that of nobody), {@code pull GROUP TOPIC QUEUE S},
 * {@code idle BROKER S}, {@code unknown S}, {@code waited heartbeat|again|end|lost S} (whether that is copied when it has waited so long), {@code copy CLIENT}, {@code says heartbeat|question ADDRESS} (a request of a client comes to a hook without a broker; whether it is several), {@code channels OPEN CLOSED} (whether a client with so many is several), {@code hears CLIENT open|closed S} (whether it is, if client a has such a channel that was last heard so long ago), {@code breaks}
 * (whether heartbeats are copied after an Error), {@code unanswered} (whether a heartbeat counts as copied in vain until Kafka has it), {@code settings} (what is wrong with them, or "good") or {@code ask GROUP CLIENT TOPIC S}; each is answered by a line.
 */
public final class HookRules {
    private static final long SECOND = 1_000_000_000L;
    private static final TopicPartition CONTROLLERS = new TopicPartition("controllers", 0);
    private static final TopicPartition LEADERLESS = new TopicPartition("controllers", 1);

    private final Earshot earshot = new Earshot();
    private final Speakers speakers = new Speakers();
    private final Pulls pulls = new Pulls();
    private final Recency recency = new Recency();
    private final Shares shares;
    private final String group;
    private Copies copies;
    private TrimtabHook hook;

    private HookRules(String group) {
        this.group = group;
        shares = new Shares(10 * SECOND, it -> it.equals(group) || "sender".equals(it), 0);
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // RocketMQ's logs speak of themselves
        HookRules rules = new HookRules(args[0]);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(rules.answer(line.split(" ", 5)));
        }
    }

    private String answer(String[] asked) throws Exception {
        switch (asked[0]) {
            case "heard":
                earshot.heard(asked[1], asked[2], Long.parseLong(asked[3]));
                return "heard";
            case "lost":
                return Boolean.toString(earshot.lost(asked[1], asked[2], Long.parseLong(asked[3])));
            case "gone":
                earshot.begin(asked[1], Long.parseLong(asked[2]));
                return "gone";
            case "ending":
                return Boolean.toString(earshot.isEnding(asked[1], Long.parseLong(asked[2])));
            case "speaks":
                return Boolean.toString(speakers.areSeveral(asked[1], asked[2], seconds(asked[3])));
            case "post":
                byte[] value = asked[4].getBytes(StandardCharsets.UTF_8);
                Assignment said = "-".equals(asked[4]) ? null : Assignment.read(value);
                return Boolean.toString(shares.post(asked[1], asked[2], said, seconds(asked[3])));
            case "read":
                shares.read();
                return "read";
            case "controller":
                shares.heard(seconds(asked[1]));
                return "heard";
            case "runs":
                shares.awake(seconds(asked[1]));
                return "runs";
            case "ends":
                Played played = new Played(Long.parseLong(asked[1]));
                recency.ask(played, List.of(LEADERLESS, CONTROLLERS), () -> seconds(asked[2]));
                return "asked " + played.asked;
            case "word":
                return word(Long.parseLong(asked[1]));
            case "repeats":
                return Boolean.toString(shares.needAll(
                        Heartbeat.of(heartbeat(asked[1], asked[2], true)), it -> asked.length > 3));
            case "vain":
                triedFor(copies, seconds(asked[1]));
                return "tried";
            case "tidy":
                speakers.forget(seconds(asked[1]));
                shares.forgetGone(seconds(asked[1]));
                return "tidied";
            case "pull":
                pulls.heard(Pulls.place(asked[1], asked[2], asked[3]), seconds(asked[4]));
                return "heard";
            case "idle":
                return String.join("; ", pulls.look(shares.pulled(asked[1], seconds(asked[2])), seconds(asked[2])));
            case "waited":
                return Boolean.toString(isCopiedAfter(asked[1], seconds(asked[2])));
            case "copy":
                return copy(asked[1]);
            case "says":
                return says(asked[1], asked[2]);
            case "channels":
                return Boolean.toString(areSeveral(Integer.parseInt(asked[1]), Integer.parseInt(asked[2])));
            case "hears":
                return Boolean.toString(isHeard(asked[1], "open".equals(asked[2]), seconds(asked[3])));
            case "breaks":
                return Boolean.toString(copiesAfterAnError());
            case "unanswered":
                return Boolean.toString(isUnanswered());
            case "settings":
                return settings();
            case "unknown":
                return String.join("; ", shares.unknown(seconds(asked[1])));
            case "ask":
                byte[] answer = shares.answer(asked[1], asked[2], asked[3], seconds(asked[4]));
                return answer == null ? "own" : new String(answer, StandardCharsets.UTF_8);
            default:
                throw new IllegalArgumentException(asked[0]);
        }
    }

    private String word(long offset) {
        Long since = recency.since(CONTROLLERS, offset);
        if (since != null) {
            shares.heard(since);
        }
        return since == null ? "of any age" : String.valueOf(since / SECOND);
    }

    private static String settings() throws IOException {
        try {
            HookSettings.read();
            return "good";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private String copy(String client) throws IOException {
        copies = copies == null ? new Copies(HookSettings.read(), "broker-a", new Troubles()) : copies;
        copies.heartbeat(heartbeat(client, group, false), false);
        return "offered";
    }

    private static byte[] heartbeat(String client, String group, boolean isRepeated) {
        String said = "{\"clientID\":\"%s\",\"consumerDataSet\":[{\"groupName\":\"%s\"}],"
                + "\"producerDataSet\":[{\"groupName\":\"CLIENT_INNER_PRODUCER\"},{\"groupName\":\"sender\"}],\"withoutSub\":%s}";
        return String.format(said, client, group, isRepeated).getBytes(StandardCharsets.UTF_8);
    }

    private String says(String kind, String address) {
        hook = hook == null ? new TrimtabHook() : hook;
        boolean isHeartbeat = "heartbeat".equals(kind);
        QueryAssignmentRequestBody question = new QueryAssignmentRequestBody();
        question.setClientId("a");
        question.setConsumerGroup(group);
        question.setTopic("orders");
        RemotingCommand request = RemotingCommand.createRequestCommand(
                isHeartbeat ? RequestCode.HEART_BEAT : RequestCode.QUERY_ASSIGNMENT, null);
        request.setBody(isHeartbeat ? heartbeat("a", group, false) : question.encode());
        hook.doAfterResponse(address, request, RemotingCommand.createResponseCommand(0, null));
        return isHeartbeat ? Boolean.toString(hook.areSeveral(Heartbeat.of(request.getBody()), address)) : "said";
    }

    private static boolean areSeveral(int open, int closed) {
        Map<Channel, ClientChannelInfo> channels = new HashMap<>();
        for (int made = 0; made < open + closed; made++) {
            EmbeddedChannel channel = new EmbeddedChannel();
            channels.put(channel, new ClientChannelInfo(channel, "a", LanguageCode.JAVA, 0));
            if (made >= open) {
                channel.close();
            }
        }
        EmbeddedChannel other = new EmbeddedChannel();
        channels.put(other, new ClientChannelInfo(other, "b", LanguageCode.JAVA, 0));
        return Speakers.areSeveralOpen(channels, "a");
    }

    private static boolean isHeard(String client, boolean isOpen, long agoNs) {
        EmbeddedChannel channel = new EmbeddedChannel();
        ClientChannelInfo known = new ClientChannelInfo(channel, "a", LanguageCode.JAVA, 0);
        if (!isOpen) {
            channel.close();
        }
        long now = known.getLastUpdateTimestamp() + TimeUnit.NANOSECONDS.toMillis(agoNs);
        return Speakers.isHeard(Map.of(channel, known), client, now);
    }

    private static boolean copiesAfterAnError() throws Exception {
        Copies copies = new Copies(HookSettings.read(), "broker-a", new Troubles());
        CountDownLatch done = new CountDownLatch(1);
        copies.offer(() -> {
            throw new NoClassDefFoundError("played");
        });
        copies.offer(done::countDown);
        return done.await(10, TimeUnit.SECONDS);
    }

    private boolean isUnanswered() throws Exception {
        copy("a");
        for (int tries = 0; tries < 100 && !isTried(copies); tries++) {
            Thread.sleep(100);
        }
        return isTried(copies);
    }

    /** Kafka is away, and something was sent to it. */
    private static boolean isTried(Copies copies) throws ReflectiveOperationException {
        return since().get(vainOf(copies)) != null;
    }

    /** As if Kafka had been away for so long. */
    private static void triedFor(Copies copies, long nanos) throws ReflectiveOperationException {
        since().set(vainOf(copies), System.nanoTime() - nanos);
    }

    private static Object vainOf(Copies copies) throws ReflectiveOperationException {
        Field copied = Copies.class.getDeclaredField("copied");
        copied.setAccessible(true);
        return copied.get(copies);
    }

    private static Field since() throws ReflectiveOperationException {
        Field since = Vain.class.getDeclaredField("since");
        since.setAccessible(true);
        return since;
    }

    private boolean isCopiedAfter(String kind, long waitedNs) throws Exception {
        AtomicLong clock = new AtomicLong();
        Copies copies = new Copies(HookSettings.read(), "broker-a", new Troubles(), clock::get);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CountDownLatch done = new CountDownLatch(1);
        copies.offer(begun::join);
        switch (kind) {
            case "heartbeat":
                copies.heartbeat(heartbeat("a", group, false), false);
                break;
            case "again":
                copies.again("a", heartbeat("a", group, false));
                break;
            case "end":
                copies.unregister("a", group);
                break;
            default:
                copies.lost("a", group);
        }
        copies.offer(done::countDown);
        clock.set(waitedNs);
        begun.complete(null);
        done.await(10, TimeUnit.SECONDS);
        return isTried(copies);
    }

    private static long seconds(String text) {
        return Long.parseLong(text) * SECOND;
    }

    private static final class Played extends MockConsumer<byte[], byte[]> {
        private final long end;
        private int asked;

        Played(long end) {
            super("none");
            this.end = end;
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> places, Duration patience) {
            asked++;
            if (places.contains(LEADERLESS)) {
                throw new TimeoutException("played");
            }
            return Map.of(CONTROLLERS, end);
        }
    }
}
