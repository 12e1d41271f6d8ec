package trimtab.rocketmq;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.MessageQueueListener;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.impl.MQAdminImpl;
import org.apache.rocketmq.client.impl.consumer.AssignedMessageQueue;
import org.apache.rocketmq.client.impl.consumer.DefaultLitePullConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.MQConsumerInner;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.Grant;
import trimtab.Member;
import trimtab.MemberOptions;
import trimtab.checks.Waiting;
import trimtab.protocol.Assignment;
import trimtab.protocol.Queue;
import trimtab.session.MemberSession;
import trimtab.session.Profile;
import trimtab.transport.WriterRules;

/**
 * Plays what a consumer that obeys does in trouble, without a server, for tests of it.
 *
 * <p>A line on stdin names the trouble, as the methods do; each is answered by a line.
 */
public final class TroubleRules {
    private static final String LIFE = "1767225600000-00000001";
    /** Half of the default. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final MemberOptions NOBODY = MemberOptions.of("127.0.0.1:1").revocationTimeout(PATIENCE);
    private static final Queue QUEUE = new Queue("orders", "broker-a", 0);
    private static final MessageQueue NAMED = Client.named(QUEUE);
    private static final Grant FIRST = new Grant(QUEUE, 1, null, null);
    /** More than two reminders. */
    private static final long SOON_MS = 2_600;
    /** Many looks of the keeper. */
    private static final long MOMENT_MS = 500;
    private static final Duration MOMENT = Duration.ofMillis(MOMENT_MS);

    private final PlayedClient client = new PlayedClient();
    private final Gate gate = new Gate(it -> true);
    private final Answers answers = new Answers();
    private final Departures departures = new Departures(client, gate, answers);

    private TroubleRules() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // RocketMQ's logs speak of themselves
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(new TroubleRules().answer(line));
        }
        System.exit(0); // members of nobody's Kafka go on
    }

    private String answer(String trouble) throws Exception {
        switch (trouble) {
            case "leaves":
                return leaves();
            case "breaks":
                return breaks();
            case "forsaken-pull":
                return forsakenPull();
            case "forsaken-lite":
                return forsakenLite();
            case "silent":
                return silent();
            case "deaf":
                return deaf();
            case "begun":
                return begun();
            case "sought":
                return sought();
            case "forgotten":
                return forgotten();
            case "forgotten-lite":
                return forgottenLite();
            case "refused":
                return refused();
            case "chosen":
                return chosen();
            case "interrupted":
                return interrupted();
            case "unknown":
                return unknown();
            case "reset":
                return reset();
            case "rule-fails":
                return ruled((group, id, queues, ids) -> {
                    throw new IllegalStateException("played");
                });
            case "rule-null":
                return ruled((group, id, queues, ids) -> null);
            case "rule-vain":
                return ruled((group, id, queues, ids) -> queues);
            case "at-work":
                return atWork();
            case "marked":
                return marked();
            case "renamed":
                return renamed();
            case "suspended":
                return suspended();
            case "unasked":
                return unasked();
            case "unasked-soon":
                return unaskedSoon();
            case "unasked-lite":
                return unaskedLite();
            case "unasked-pull":
                return unaskedPull();
            case "asked":
                return asked();
            case "left-out":
                return leftOut();
            case "closed-inside":
                return closedInside();
            case "closed-lite":
                return closedLite();
            case "locks":
                return locks();
            case "unsubscribed":
                return unsubscribed();
            case "too-many":
                return tooMany();
            case "too-many-others":
                return tooManyOthers();
            case "assigned":
                return assigned();
            default:
                throw new IllegalArgumentException(trouble);
        }
    }

    /** Whether the client is reminded of a queue that it is to let go, and of nothing else. */
    private String leaves() throws Exception {
        client.take(QUEUE);
        Keeper keeper = keeper();
        keeper.start(member(), () -> { });
        Thread.sleep(SOON_MS);
        long idle = client.count("wake");
        departures.begin(List.of(FIRST));
        keeper.hurry();
        Waiting.await(() -> client.count("wake") >= 2);
        return idle + " " + (client.count("wake") >= 2);
    }

    /** How a member ends whose keeper fails. */
    private String breaks() throws Exception {
        Member member = member();
        client.isBroken = true;
        Thread[] over = new Thread[1];
        keeper().start(member, () -> over[0] = Thread.currentThread());
        Waiting.await(() -> over[0] != null);
        return String.valueOf(member.ending());
    }

    /** What is sent of a queue that was lost and is let go, with and without having been lost. */
    private String forsakenPull() {
        PullClient pull = new PullClient(new DefaultMQPullConsumer("billing"), gate);
        PlayedOffsets store = client.store;
        ((org.apache.rocketmq.client.impl.consumer.DefaultMQPullConsumerImpl) Fields.get(
                Fields.get(pull, "consumer"), "defaultMQPullConsumerImpl")).setOffsetStore(store);
        pull.reached(QUEUE, 100);
        gate.enter(QUEUE);
        pull.forsake(QUEUE);
        pull.done(QUEUE);
        pull.reached(QUEUE, 150); // a task of before the loss ends
        pull.asks();
        pull.done(QUEUE);
        gate.leave(QUEUE);
        pull.asks();
        pull.reached(QUEUE, 200);
        pull.done(QUEUE);
        return store.sent.toString();
    }

    /** The same. */
    private String forsakenLite() {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        LiteClient lite = new LiteClient(consumer, gate);
        pullsFrom(consumer, lite).updateConsumeOffset(NAMED, 100);
        lite.note(QUEUE);
        Long before = client.store.known.get(NAMED);
        lite.forsake(QUEUE);
        lite.note(QUEUE);
        return before + " " + client.store.known.get(NAMED);
    }

    /** How often a broker that is silent is asked, for two queues, and another one. */
    private String silent() {
        OwnOffsets offsets = new OwnOffsets(client.store, client, it -> true, it -> false);
        client.store.answersAfterMs = 1_100;
        offsets.readOffset(NAMED, ReadOffsetType.READ_FROM_STORE);
        long second = offsets.readOffset(new MessageQueue("orders", "broker-a", 1), ReadOffsetType.READ_FROM_STORE);
        int questions = client.store.questions;
        client.store.answersAfterMs = 0;
        offsets.readOffset(new MessageQueue("orders", "broker-b", 0), ReadOffsetType.READ_FROM_STORE);
        offsets.readOffset(new MessageQueue("orders", "broker-b", 1), ReadOffsetType.READ_FROM_STORE);
        return second + " " + questions + " " + client.store.questions;
    }

    /**
     * Where a queue begins of which its broker has nothing, and what it is sent: of a queue that is another's, for a
     * consumer that broadcasts, one that begins where all do, one whose broker does not say where, and then at 132.
     */
    private String begun() {
        client.store.stored = -1;
        client.start = 132L;
        List<Long> found = new ArrayList<>();
        found.add(new OwnOffsets(client.store, client, it -> false, it -> false).readOffset(NAMED, ReadOffsetType.READ_FROM_STORE));
        OwnOffsets offsets = new OwnOffsets(client.store, client, it -> true, it -> false);
        client.isBroadcasting = true;
        found.add(offsets.readOffset(NAMED, ReadOffsetType.READ_FROM_STORE));
        client.isBroadcasting = false;
        for (Long start : Arrays.asList(-1L, null, 132L)) {
            client.start = start;
            found.add(offsets.readOffset(NAMED, ReadOffsetType.MEMORY_FIRST_THEN_STORE));
        }
        AtomicBoolean isLost = new AtomicBoolean(); // while its broker is asked where to begin
        OwnOffsets losing = new OwnOffsets(client.store, client, it -> !isLost.getAndSet(true), it -> false);
        found.add(losing.readOffset(NAMED, ReadOffsetType.READ_FROM_STORE));
        return found + " " + client.store.sent + " " + client.store.known.get(NAMED) + " " + client.count("greet");
    }

    /**
     * What is committed of a queue of which its broker has nothing, as an application hears that may seek by that, and what is
     * sent: when it has begun at 132; when the application has sought 0 or not, is at 10 or has been given nothing, and the
     * queue is let go. The same when it has committed 164 before it seeks.
     */
    private String chosen() throws Exception {
        client.store.stored = -1;
        List<Object> found = new ArrayList<>();
        for (long sought : new long[] {-1, 0}) {
            DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
            LiteClient lite = new LiteClient(consumer, gate);
            AssignedMessageQueue assigned = begins(consumer, lite);
            found.add(consumer.committed(NAMED));
            assigned.setSeekOffset(NAMED, sought);
            found.add(consumer.committed(NAMED));
            found.add(List.copyOf(client.store.sent));
            assigned.setSeekOffset(NAMED, -1); // it goes there
            assigned.updateConsumeOffset(NAMED, sought < 0 ? -1 : 10);
            lite.settle(QUEUE);
        }
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        AssignedMessageQueue assigned = begins(consumer, new LiteClient(consumer, gate));
        ((OffsetStore) Fields.get(Fields.get(consumer, "defaultLitePullConsumerImpl"), "offsetStore"))
                .updateOffset(NAMED, 164, false);
        assigned.setSeekOffset(NAMED, 0);
        found.add(consumer.committed(NAMED));
        return found + " " + client.store.sent;
    }

    /**
     * What is sent of a queue that is let go, of which 60 was committed: the application has sought nothing, has sought 50
     * and the client has not gone there, has gone there, was told to commit before it has, or is not waited for with 60 in hand; and with that when it has committed
     * 70 and sought 80.
     */
    private String sought() throws Exception {
        List<Long> sent = new ArrayList<>();
        for (String story : List.of("nothing", "soon", "gone", "committed", "in hand", "ahead")) {
            DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
            LiteClient lite = new LiteClient(consumer, gate);
            AssignedMessageQueue assigned = begins(consumer, lite);
            assigned.updateConsumeOffset(NAMED, "gone".equals(story) ? 50 : 60);
            lite.offsets().updateOffset(NAMED, "ahead".equals(story) ? 70 : 60, false);
            if ("in hand".equals(story) || "ahead".equals(story)) {
                hand(consumer).add(new Polled());
                hand(consumer).poll(1, TimeUnit.SECONDS);
            }
            if (!"nothing".equals(story) && !"gone".equals(story)) {
                assigned.setSeekOffset(NAMED, "ahead".equals(story) ? 80 : 50);
            }
            if ("committed".equals(story)) {
                consumer.setAutoCommit(false);
                consumer.commitSync();
            }
            lite.settle(QUEUE);
            sent.add(client.store.sent.get(client.store.sent.size() - 1));
        }
        return sent.toString();
    }

    /**
     * Of a queue whose topic was unsubscribed: what is sent before it is handed over. And what is remembered of one in the
     * eyes of RocketMQ's own store, which is told to send those of another one: if the topic was not unsubscribed, and if it was. And what a broker
     * hears when the store is told to send those of none, as of a consumer without another topic.
     */
    private String forgotten() throws Exception {
        client.install(it -> new OwnOffsets(it, client, each -> true, NAMED::equals), null);
        client.store.known.put(NAMED, 7L);
        departures.begin(List.of(FIRST));
        List<Object> told = new ArrayList<>();
        departures.look(gone -> told.add(List.copyOf(client.store.sent)), false);
        MQClientInstance shared = new MQClientInstance(new ClientConfig(), 0, "forgets");
        new PlayedBroker().introduce(shared, NAMED.getBrokerName());
        for (boolean isForgotten : new boolean[] {false, true}) {
            OffsetStore store = new RemoteBrokerOffsetStore(shared, "billing");
            OwnOffsets offsets = new OwnOffsets(store, client, it -> true, it -> isForgotten);
            offsets.updateOffset(NAMED, 7, false);
            offsets.persistAll(Set.of(new MessageQueue("visits", "broker-a", 0)));
            told.add(offsets.readOffset(NAMED, ReadOffsetType.READ_FROM_MEMORY));
        }
        PlayedBroker broker = new PlayedBroker(0);
        MQClientInstance alone = new MQClientInstance(new ClientConfig(), 0, "forgets all");
        broker.introduce(alone, NAMED.getBrokerName());
        OwnOffsets offsets = new OwnOffsets(new RemoteBrokerOffsetStore(alone, "billing"), client, it -> true, it -> true);
        offsets.updateOffset(NAMED, 7, false);
        offsets.persistAll(Set.of());
        Waiting.await(() -> broker.questions > 0);
        told.add(broker.questions);
        return told.toString();
    }

    /**
     * What is sent of a queue whose topic a consumer has unsubscribed that is polled, when it had come to 60, and to 61 when
     * the client removed the queue; how often that is sent of a later grant that the client never took; and where it is with
     * the queue when it is given it anew.
     */
    private String forgottenLite() throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        LiteClient lite = new LiteClient(consumer, gate);
        AssignedMessageQueue assigned = begins(consumer, lite);
        assigned.updateConsumeOffset(NAMED, 60);
        consumer.unsubscribe("orders");
        assigned.updateConsumeOffset(NAMED, 61);
        lite.rebalance().getProcessQueueTable().remove(NAMED);
        lite.settle(QUEUE);
        int sent = client.store.sent.size();
        Long last = client.store.sent.get(sent - 1);
        lite.settle(QUEUE);
        int again = client.store.sent.size() - sent;
        assigned.updateAssignedMessageQueue("orders", List.of(NAMED));
        return last + " " + again + " " + assigned.getConsumerOffset(NAMED);
    }

    /** Has a consumer that is polled begin on the queue, where it ends. */
    private AssignedMessageQueue begins(DefaultLitePullConsumer consumer, LiteClient lite) {
        client.store.known.clear();
        AssignedMessageQueue assigned = pullsFrom(consumer, lite);
        Object inner = Fields.get(consumer, "defaultLitePullConsumerImpl");
        OwnOffsets offsets = new OwnOffsets(client.store, lite, it -> true, it -> false);
        Fields.set(inner, "offsetStore", offsets);
        Fields.set(inner, "serviceState", ServiceState.RUNNING);
        MQClientInstance shared = new Ending132();
        shared.registerConsumer("billing", (MQConsumerInner) inner);
        Fields.set(inner, "mQClientFactory", shared);
        offsets.readOffset(NAMED, ReadOffsetType.MEMORY_FIRST_THEN_STORE);
        return assigned;
    }

    /**
     * Where a queue begins whose broker says that it has no offset, that it has too much to do, and nothing, as the thread
     * is interrupted, which it stays; of one that begins where all do, and of one at 132.
     */
    private String refused() throws Exception {
        List<Object> found = new ArrayList<>();
        for (long start : new long[] {-1, 132}) {
            client.start = start;
            found.add(storedBy(22, 22, 0));
            found.add(storedBy(2, 2, 0));
            found.add(storedBy(22, PlayedBroker.INTERRUPT));
            found.add(Thread.interrupted());
        }
        return found.toString();
    }

    /** What is found of an offset if its broker answers so: whether it has one, once more, and when it is given one. */
    private long storedBy(Integer... codes) throws Exception {
        MQClientInstance shared = new MQClientInstance(new ClientConfig(), 0, "asks");
        new PlayedBroker(codes).introduce(shared, NAMED.getBrokerName());
        OffsetStore store = new RemoteBrokerOffsetStore(shared, "billing");
        return new OwnOffsets(store, client, it -> true, it -> false).readOffset(NAMED, ReadOffsetType.READ_FROM_STORE);
    }

    /** Of a broker that acknowledges nothing, when two queues are let go: how often it is waited for, what is sent, what is asked. */
    private String deaf() {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        LiteClient lite = new LiteClient(consumer, gate);
        OwnOffsets offsets = new OwnOffsets(client.store, lite, it -> true, it -> false);
        Fields.set(Fields.get(consumer, "defaultLitePullConsumerImpl"), "offsetStore", offsets);
        client.store.isDeaf = true;
        client.store.answersAfterMs = 1_100;
        for (int id = 0; id < 2; id++) {
            client.store.known.put(new MessageQueue("orders", "broker-a", id), 7L + id);
            lite.settle(new Queue("orders", "broker-a", id));
        }
        offsets.readOffset(NAMED, ReadOffsetType.READ_FROM_STORE);
        return client.store.waits + " " + client.store.sent + " " + client.store.questions;
    }

    /** Whether a queue is dropped whose listener is interrupted at four messages: all are done, two are, it says that none is. */
    private String interrupted() {
        List<Boolean> dropped = new ArrayList<>();
        for (int done : new int[] {3, 1, -1}) {
            DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                Thread.currentThread().interrupt();
                context.setAckIndex(done);
                return done < 0 ? ConsumeConcurrentlyStatus.RECONSUME_LATER : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
            new Listeners(gate, client).guard(consumer);
            client.take(QUEUE);
            ((MessageListenerConcurrently) consumer.getMessageListener())
                    .consumeMessage(Collections.nCopies(4, new MessageExt()), new ConsumeConcurrentlyContext(NAMED));
            Thread.interrupted();
            dropped.add(client.hasDropped(QUEUE));
        }
        return dropped.toString();
    }

    /** Which queues are told that the client does not know: at first, after half a minute, when another one has come. */
    private String unknown() {
        Routes routes = new Routes(client);
        Queue other = new Queue("orders", "broker-b", 0);
        List<Integer> told = new ArrayList<>();
        for (long seconds : new long[] {0, 29, 31}) {
            routes.complain(Set.of(QUEUE), seconds * 1_000_000_000L);
            told.add(((Set<?>) Fields.get(routes, "told")).size());
        }
        routes.complain(Set.of(QUEUE, other), 40_000_000_000L);
        told.add(((Set<?>) Fields.get(routes, "told")).size());
        routes.complain(Set.of(), 50_000_000_000L);
        told.add(((Set<?>) Fields.get(routes, "told")).size());
        return told.toString();
    }

    /** Whether a queue that is to go stays while RocketMQ resets its offset, and is gone then; and what was sent. */
    private String reset() {
        client.isSuspended = true;
        client.take(QUEUE).setDropped(true);
        departures.begin(List.of(FIRST));
        departures.takeAway(true, PATIENCE);
        boolean stays = client.has(QUEUE);
        String sent = client.store.sent.toString();
        client.rebalance().getProcessQueueTable().remove(NAMED);
        departures.look(gone -> { }, false);
        return stays + " " + sent + " " + departures.isEmpty();
    }

    /** By a rule of RocketMQ's: how many of two queues are told at first and after many tries, one of which it has. */
    private String ruled(Rule rule) {
        client.take(QUEUE);
        Ruled ruled = new Ruled(client);
        List<MessageQueue> queues = List.of(NAMED, new MessageQueue("orders", "broker-b", 0));
        List<Integer> told = new ArrayList<>();
        for (int tries = 0; tries < 20; tries++) {
            told.add(ruled.of(rule, "billing", "a", queues, List.of("a")).size());
        }
        return told.get(0) + " " + told.get(19) + " " + ruled.isIncomplete();
    }

    /** Whether a queue that is ours anew waits: for a listener, for one that does not end, when it has ended. */
    private String atWork() {
        Granted granted = new Granted(client, gate, departures, new Stalls(client), PATIENCE, () -> { });
        gate.enter(QUEUE);
        boolean waits = granted.isStillAtWork(FIRST, 0);
        boolean waitsForEver = granted.isStillAtWork(FIRST, PATIENCE.toNanos());
        gate.leave(QUEUE);
        return waits + " " + waitsForEver + " " + granted.isStillAtWork(FIRST, 1);
    }

    /** Whether a consumer says that it is attached, which was not, and which was. */
    private static String marked() {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
        try {
            Trimtab.attachMoving(consumer, NOBODY);
        } catch (IllegalStateException e) {
            // it has no listener yet
        }
        boolean isMarked = consumer.getInstanceName().contains(Sides.MARK);
        attachMoving(consumer);
        return isMarked + " " + consumer.getInstanceName().contains(Sides.MARK);
    }

    /** Whether it complains of its id, which is as it was attached, and then another one. */
    private static String renamed() {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("billing");
        Sides sides = (Sides) Fields.get(Fields.get(attachMoving(consumer), "follower"), "sides");
        sides.see("orders", consumer.buildMQClientId(), List.of(consumer.buildMQClientId()));
        Object before = Fields.get(sides, "hasSaidThatItLacksTheMark");
        consumer.setInstanceName("later");
        sides.see("orders", consumer.buildMQClientId(), List.of(consumer.buildMQClientId()));
        return before + " " + Fields.get(sides, "hasSaidThatItLacksTheMark") + " " + sides.side();
    }

    private static Trimtab attachMoving(DefaultMQPushConsumer consumer) {
        consumer.registerMessageListener(
                (MessageListenerConcurrently) (messages, context) -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
        return Trimtab.attachMoving(consumer, NOBODY);
    }

    /** Whether a suspended consumer has handed over: while its listener works, and then; and what it sends. */
    private String suspended() throws InterruptedException {
        client.isSuspended = true;
        ProcessQueue taken = client.take(QUEUE);
        client.store.known.put(NAMED, 7L);
        answers.told("orders", List.of(NAMED));
        departures.begin(List.of(FIRST));
        gate.enter(QUEUE);
        keeper().start(member(), () -> { });
        Thread.sleep(MOMENT_MS);
        boolean atFirst = departures.isEmpty();
        gate.leave(QUEUE);
        Waiting.await(departures::isEmpty);
        return atFirst + " " + departures.isEmpty() + " " + taken.isDropped() + " " + client.store.sent;
    }

    /** Whether a queue is handed over whose topic is asked about no more: at once, then, and if nobody works on it. */
    private String unasked() throws InterruptedException {
        ProcessQueue taken = client.take(QUEUE);
        client.store.known.put(NAMED, 7L);
        answers.told("orders", List.of(NAMED));
        gate.enter(QUEUE);
        departures.begin(List.of(FIRST));
        keeper().start(member(), () -> { });
        Thread.sleep(MOMENT_MS);
        boolean atOnce = taken.isDropped();
        Waiting.await(taken::isDropped);
        boolean atWork = departures.isEmpty();
        gate.leave(QUEUE);
        Waiting.await(departures::isEmpty);
        return atOnce + " " + atWork + " " + departures.isEmpty() + " " + client.store.sent;
    }

    /** Whether that is so soon enough for a member that is granted three seconds, and not the 30 that it wants. */
    private String unaskedSoon() throws InterruptedException {
        ProcessQueue taken = client.take(QUEUE);
        answers.told("orders", List.of(NAMED));
        departures.begin(List.of(FIRST));
        Member member = member();
        MemberSession session = new MemberSession((Profile) Fields.get(member, "profile"), LIFE, 0);
        session.receive(Assignment.read(("{\"v\":1,\"kind\":\"assignment\",\"incarnation\":\"" + LIFE + "\",\"epoch\":1,"
                + "\"hold\":{\"queues\":[]},\"give\":{\"queues\":[]},\"inherit\":{\"from\":[],\"queues\":[]},"
                + "\"session_timeout_ms\":3600000,\"revocation_timeout_ms\":3000,\"heartbeat_interval_ms\":3600000}")
                .getBytes(StandardCharsets.UTF_8)), 0);
        Fields.set(member, "session", session);
        Fields.set(Fields.get(member, "transport"), "writer", WriterRules.toNobody());
        keeper().start(member, () -> { });
        Thread.sleep(SOON_MS);
        return String.valueOf(taken.isDropped());
    }

    /** What a consumer that is polled pulls from when such a queue was taken: first it has, then it has not. */
    private String unaskedLite() throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        consumer.subscribe("orders", "*");
        LiteClient lite = new LiteClient(consumer, gate);
        AssignedMessageQueue assigned = pullsFrom(consumer, lite);
        String before = assigned.getAssignedMessageQueues().toString();
        Departures leaving = leaving(lite);
        Waiting.await(() -> isGone(leaving));
        return before + " " + assigned.getAssignedMessageQueues() + " " + leaving.isEmpty();
    }

    /**
     * What a listener of queues was told when such a queue was taken: not while it is at work on what it was told before.
     * Whoever takes it does not wait for the listener.
     */
    private String unaskedPull() throws Exception {
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("billing");
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch mayForget = new CountDownLatch(1);
        consumer.registerMessageQueueListener("orders", (topic, all, mine) -> {
            told.add(mine.size());
            await(mine.isEmpty() ? mayForget : mayEnd);
            told.add(mine.size());
        });
        PullClient pull = new PullClient(consumer, gate);
        consumer.getDefaultMQPullConsumerImpl().setOffsetStore(client.store);
        pull.asks();
        pull.rebalance().getProcessQueueTable().put(NAMED, new ProcessQueue());
        MessageQueueListener listening = consumer.getMessageQueueListener();
        new Thread(() -> listening.messageQueueChanged("orders", Set.of(NAMED), Set.of(NAMED))).start();
        Waiting.await(() -> !told.isEmpty());
        Departures leaving = leaving(pull);
        Thread.sleep(MOMENT_MS);
        leaving.takeAway(false, MOMENT);
        String before = told.toString();
        mayEnd.countDown();
        Waiting.await(() -> isGone(leaving) || told.size() == 3);
        boolean atWork = isGone(leaving);
        mayForget.countDown();
        Waiting.await(() -> isGone(leaving));
        return before + " " + atWork + " " + told + " " + leaving.isEmpty();
    }

    private static Hand hand(DefaultLitePullConsumer consumer) {
        return (Hand) Fields.get(Fields.get(consumer, "defaultLitePullConsumerImpl"), "consumeRequestCache");
    }

    /** Has a consumer that is polled pull from the queue; returns what it pulls from. */
    private AssignedMessageQueue pullsFrom(DefaultLitePullConsumer consumer, LiteClient lite) {
        DefaultLitePullConsumerImpl inner =
                (DefaultLitePullConsumerImpl) Fields.get(consumer, "defaultLitePullConsumerImpl");
        Fields.set(inner, "offsetStore", client.store);
        lite.rebalance().getProcessQueueTable().put(NAMED, new ProcessQueue());
        AssignedMessageQueue assigned = (AssignedMessageQueue) Fields.get(inner, "assignedMessageQueue");
        assigned.updateAssignedMessageQueue("orders", List.of(NAMED));
        return assigned;
    }

    /** From this client the queue is to go, whose topic it has asked about for the last time. */
    private Departures leaving(Client from) {
        Departures leaving = new Departures(from, gate, answers);
        answers.told("orders", List.of(NAMED));
        leaving.begin(List.of(FIRST));
        return leaving;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isGone(Departures leaving) {
        leaving.takeAway(false, MOMENT);
        leaving.look(gone -> { }, false);
        return leaving.isEmpty();
    }

    /** Whether it complains that nobody has asked: when the application asks for a queue, and when a listener begins. */
    private String asked() {
        Follower follower = follower();
        follower.isOurs(QUEUE);
        Object before = Fields.get(follower, "hasSaidThatNobodyAsked");
        ((Gate) Fields.get(follower, "gate")).enter(QUEUE);
        return before + " " + Fields.get(follower, "hasSaidThatNobodyAsked");
    }

    /** Whether an orderly queue that is left out has to go before it comes back. */
    private String leftOut() {
        client.isOrderly = true;
        client.take(QUEUE);
        List<MessageQueue> share = follower().share("billing", "a", List.of(NAMED), List.of("a"));
        return share.size() + " " + client.hasDropped(QUEUE);
    }

    /** What the state is when a close comes back that a listener has called. */
    private String closedInside() throws InterruptedException {
        Follower follower = follower();
        client.isBroadcasting = true; // so that it may begin without a grant
        ((Gate) Fields.get(follower, "gate")).begin(QUEUE);
        client.isBroadcasting = false;
        follower.share("billing", "a", List.of(NAMED), List.of("a"));
        follower.close();
        return follower.state().name();
    }

    /** Whether a close may wait for who polls: it works, it has ended, this thread is it; and what is in hand after each. */
    private String closedLite() throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        LiteClient lite = new LiteClient(consumer, gate);
        Hand hand = hand(consumer);
        hand.add(new Polled());
        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread poller = new Thread(() -> {
            try {
                hand.poll(1, TimeUnit.SECONDS);
                works.countDown();
                mayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        poller.start();
        works.await();
        String said = lite.isUnderWay() + " " + gate.isIdle(QUEUE);
        mayEnd.countDown();
        poller.join();
        said += " " + lite.isUnderWay() + " " + gate.isIdle(QUEUE);
        hand.poll(0, TimeUnit.SECONDS);
        return said + " " + lite.isUnderWay() + " " + gate.isIdle(QUEUE);
    }

    /** In which order it asks for its share and takes locks. */
    private String locks() {
        client.isOrderly = true;
        Obedience obedience = new Obedience(client, departures, new Sides(client, false, PATIENCE), () -> { });
        obedience.onAssigned(List.of(new Grant(QUEUE, 2, null, "b")));
        return String.join(" ", client.done);
    }

    /** What a member wants when the consumer has unsubscribed a topic, and asks for nothing any more. */
    private String unsubscribed() throws InterruptedException {
        client.topics = List.of("orders", "visits");
        Follower follower = follower();
        follower.share("billing", "a", List.of(NAMED), List.of("a"));
        client.topics = List.of("visits");
        Thread.sleep(SOON_MS);
        Object profile = Fields.get(Fields.get(follower, "member"), "profile");
        return Fields.get(profile, "topics").toString();
    }

    /** What becomes of a consumer that has two topics, gives one up and subscribes more than a member may have; what it wants. */
    private String tooMany() throws InterruptedException {
        client.topics = List.of("orders", "visits");
        Follower follower = follower();
        follower.share("billing", "a", List.of(NAMED), List.of("a"));
        client.topics = tooManyWith("visits");
        follower.share("billing", "a", List.of(NAMED), List.of("a"));
        Thread.sleep(SOON_MS);
        Object profile = Fields.get(Fields.get(follower, "member"), "profile");
        return follower.state() + " " + Fields.get(profile, "topics");
    }

    /** The same of one that gives up both: at first, and after more than ten seconds. */
    private String tooManyOthers() throws InterruptedException {
        client.topics = List.of("orders", "visits");
        Follower follower = follower();
        follower.share("billing", "a", List.of(NAMED), List.of("a"));
        client.topics = tooManyWith("letters");
        Thread.sleep(SOON_MS);
        State first = follower.state();
        for (int patience = 0; patience < 2; patience++) {
            Waiting.await(() -> follower.state() != first);
        }
        return first + " " + follower.state();
    }

    private static List<String> tooManyWith(String topic) {
        List<String> many = new ArrayList<>(List.of(topic));
        for (int number = 0; number < 1_000; number++) {
            many.add("topic-" + number);
        }
        return many;
    }

    /** What a consumer pulls that was told its queues before it was attached. */
    private String assigned() {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
        consumer.assign(List.of(NAMED));
        new LiteClient(consumer, gate);
        DefaultLitePullConsumerImpl inner =
                (DefaultLitePullConsumerImpl) Fields.get(consumer, "defaultLitePullConsumerImpl");
        return inner.getAssignedMessageQueue().getAssignedMessageQueues().toString();
    }

    private Keeper keeper() {
        Sides sides = new Sides(client, false, PATIENCE);
        Alone alone = new Alone(Fallback.NONE, PATIENCE);
        return new Keeper(client, departures, answers, new Stalls(client), alone, sides, new Ruled(client), PATIENCE);
    }

    private Member member() {
        Sides sides = new Sides(client, false, PATIENCE);
        Obedience obedience = new Obedience(client, departures, sides, () -> { });
        return new Member("billing", "a", client.topics, NOBODY, obedience);
    }

    private Follower follower() {
        return new Follower(it -> client, NOBODY, Fallback.NONE, false);
    }

    /** Whose queues end at 132. */
    private static final class Ending132 extends MQClientInstance {
        Ending132() {
            super(new ClientConfig(), 0, "ending");
        }

        @Override
        public MQAdminImpl getMQAdminImpl() {
            return new MQAdminImpl(this) {
                @Override
                public long maxOffset(MessageQueue queue) {
                    return 132;
                }
            };
        }
    }

    /** What RocketMQ's client has ready for a poll. */
    private static final class Polled {
        private final ProcessQueue processQueue = new ProcessQueue();

        ProcessQueue getProcessQueue() {
            return processQueue;
        }

        MessageQueue getMessageQueue() {
            return NAMED;
        }

        List<MessageExt> getMessageExts() {
            MessageExt message = new MessageExt();
            message.setQueueOffset(60);
            return List.of(message);
        }
    }

    private interface Rule extends AllocateMessageQueueStrategy {
        @Override
        default String getName() {
            return "PLAYED";
        }
    }
}
