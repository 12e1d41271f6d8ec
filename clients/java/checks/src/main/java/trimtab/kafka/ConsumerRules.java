package trimtab.kafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.apache.kafka.common.serialization.StringDeserializer;
import trimtab.Grant;
import trimtab.Member;
import trimtab.checks.Waiting;
import trimtab.protocol.Assignment;
import trimtab.protocol.Queue;
import trimtab.session.MemberSession;
import trimtab.session.Profile;
import trimtab.transport.WriterRules;

/**
 * Plays what a consumer does when things happen at once, without a server, for tests of it.
 *
 * <p>A line on stdin names the story, as the methods do; each is answered by a line.
 */
public final class ConsumerRules {
    private static final String LIFE = "1767225600000-00000001";
    private static final long HOUR_MS = 3_600_000;
    private static final Duration HOUR = Duration.ofMillis(HOUR_MS);
    private static final long MOMENT_MS = 300;
    /** Longer than a busy machine keeps a thread waiting. */
    private static final long WHILE_MS = 2_000;
    /** Longer than any wait for messages. */
    private static final Duration LONG_AGO = Duration.ofSeconds(11);
    private static final Grant FIRST = new Grant(new Queue("orders", "", 0), 1, null, null);
    private static final Grant SECOND = new Grant(new Queue("orders", "", 1), 1, null, null);
    private static final Grant AGAIN = new Grant(FIRST.queue, 3, null, null);
    private static final TopicPartition PLACE = Reading.placeOf(FIRST);

    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final ConsumerOptions options = ConsumerOptions.of("127.0.0.1:1", "billing", "orders").listener(new Hearer());
    private final Intake intake = new Intake(false);
    private final Telling telling = new Telling("m", options);
    private final PlayedOffsets offsets = new PlayedOffsets(options);
    private volatile boolean hangsInRevoked;
    /** Of the member, once there is one. */
    private MemberSession session;

    private ConsumerRules() {}

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(new ConsumerRules().answer(line));
        }
        System.exit(0); // what hangs goes on
    }

    private String answer(String story) throws Exception {
        switch (story) {
            case "second-thread":
                return secondThread();
            case "closed-elsewhere":
                return closedElsewhere();
            case "frozen":
                return frozen();
            case "polling":
                return polling();
            case "paused-late":
                return pausedLate();
            case "sought-late":
                return soughtLate();
            case "revoked-late":
                return revokedLate();
            case "flushed":
                return flushed();
            case "committed-late":
                return committedLate();
            case "silent":
                return silent();
            case "withdrawn":
                return withdrawn();
            case "refused":
                return refused(new UnknownMemberIdException("played")) + " " + refused(new TimeoutException("played"));
            case "begun":
                return begun();
            case "decided":
                return decided();
            case "decided-again":
                return decidedAgain(150);
            case "decided-cut":
                return decidedAgain(30);
            case "deaf":
                return deaf();
            case "hanging":
                return hanging();
            case "deaf-and-stuck":
                return deafAndStuck();
            case "repeated":
                return repeated();
            case "recovery":
                return String.valueOf(Settings.asking(options, 1).get("metadata.recovery.strategy"));
            default:
                throw new IllegalArgumentException(story);
        }
    }

    /** Whether another thread may poll: while one waits for messages, and when that has got none. */
    private String secondThread() throws InterruptedException {
        Loop loop = new Loop();
        loop.enter();
        loop.begin();
        String atFirst = entered(loop);
        loop.end(false);
        return atFirst + " " + entered(loop);
    }

    private static String entered(Loop loop) throws InterruptedException {
        String[] said = new String[1];
        Thread other = new Thread(() -> {
            try {
                loop.enter();
                said[0] = "entered";
            } catch (IllegalStateException e) {
                said[0] = "refused";
            }
        });
        other.start();
        other.join();
        return said[0];
    }

    /** Whether the loop ends whose consumer another thread would close, and what that thread is told. */
    private String closedElsewhere() throws InterruptedException {
        TrimtabConsumer<String, String> consumer =
                new TrimtabConsumer<>(options, new StringDeserializer(), new StringDeserializer());
        Thread polling = new Thread(() -> consumer.poll(HOUR));
        polling.start();
        pause();
        try {
            consumer.close();
            return "closed";
        } catch (IllegalStateException e) {
            polling.join(HOUR_MS);
            return consumer.isRunning() + " " + e.getMessage().contains("call stop(Duration)");
        }
    }

    /** Whether the loop is taken for away: after a short rest of the keeper, and after a long one. */
    private static String frozen() throws InterruptedException {
        Loop loop = new Loop();
        loop.begin();
        loop.end(true);
        Thread.sleep(WHILE_MS);
        loop.forgive(Duration.ofMillis(WHILE_MS));
        boolean atFirst = isAway(loop);
        loop.forgive(Duration.ofSeconds(6));
        return atFirst + " " + isAway(loop);
    }

    /** Whether a loop that polls is taken for away: at first, after long without a sign of it, and after one. */
    private static String polling() throws ReflectiveOperationException {
        Loop loop = new Loop();
        loop.begin();
        boolean atFirst = isAway(loop);
        fieldOf(Loop.class, "polledAt").set(loop, System.nanoTime() - LONG_AGO.toNanos());
        boolean afterLong = isAway(loop);
        loop.goOn();
        return atFirst + " " + afterLong + " " + isAway(loop);
    }

    private static boolean isAway(Loop loop) {
        return loop.away().toMillis() >= WHILE_MS;
    }

    /** How many queues are paused when one comes again that was lost while it was paused. */
    private String pausedLate() throws InterruptedException {
        intake.begin(FIRST, 0, 0L);
        Thread loss = loss();
        intake.pause(PLACE, () -> lost(loss));
        loss.join();
        intake.begin(AGAIN, 0, 0L);
        return Integer.toString(intake.plan().paused.size());
    }

    /** Where a queue is read that comes again, and was lost while it was sought. */
    private String soughtLate() throws InterruptedException {
        intake.begin(FIRST, 0, 0L);
        Thread loss = loss();
        intake.seek(PLACE, 7, () -> lost(loss));
        loss.join();
        intake.begin(AGAIN, 0, 0L);
        return intake.plan().seeks.get(PLACE).toString();
    }

    private Thread loss() {
        return new Thread(() -> {
            intake.end(Set.of(FIRST));
            intake.forget(intake.readingsOf(Set.of(FIRST)));
        });
    }

    /** It was ours when that was asked, and goes at that moment. */
    private static boolean lost(Thread loss) {
        loss.start();
        pause();
        return true;
    }

    /** What is heard of a queue that was lost while its revocation waited for the listener. */
    private String revokedLate() throws Exception {
        Member member = member();
        Departures departures = new Departures(member, intake, new Commits(member, offsets, intake), telling);
        telling.start(error -> { });
        telling.trouble("trouble");
        told.await();
        departures.begin(List.of(FIRST), Map.of());
        Thread keeper = new Thread(() -> look(departures));
        keeper.start();
        while (keeper.isAlive() && keeper.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        departures.forget(List.of(FIRST));
        mayGoOn.countDown();
        keeper.join();
        telling.lost(List.of(FIRST));
        return String.join(" ", heard);
    }

    private static void look(Departures departures) {
        try {
            departures.look(readings -> { });
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Whether a queue is handed over of which nothing is committed by hand: while the batch is in hand, when that
     * took half of a revocation's time, and after three quarters of it.
     */
    private String flushed() throws Exception {
        options.revocationTimeout(HOUR); // the controller grants less
        mayGoOn.countDown();
        offsets.answer.complete(null);
        Intake byHand = new Intake(true);
        begin(byHand);
        Member member = member();
        session.receive(assignment(2, "[1,1,null]", "[0,1,null]", 2 * WHILE_MS), 0);
        Departures departures = new Departures(member, byHand, new Commits(member, offsets, byHand), telling);
        byHand.end(Set.of(FIRST));
        departures.begin(List.of(FIRST), Map.of());
        departures.look(readings -> { });
        boolean atFirst = departures.isEmpty();
        Thread.sleep(WHILE_MS);
        byHand.comeBack();
        departures.look(readings -> { });
        boolean whenBack = departures.isEmpty();
        Thread.sleep(WHILE_MS / 2);
        departures.look(readings -> { });
        return atFirst + " " + whenBack + " " + departures.isEmpty();
    }

    /** Of how many queues a commit counts before a hand-over, and while Kafka is slow to answer it. */
    private String committedLate() throws Exception {
        Intake byHand = new Intake(true);
        begin(byHand);
        Member member = member();
        session.receive(assignment(2, "[1,1,null]", "[0,1,null]", HOUR_MS), 0);
        Departures departures = new Departures(member, byHand, new Commits(member, offsets, byHand), telling);
        byHand.end(Set.of(FIRST));
        byHand.giveUp();
        departures.begin(List.of(FIRST), Map.of());
        Map<TopicPartition, ConsumerRecord<?, ?>> done =
                Map.of(PLACE, new ConsumerRecord<>(PLACE.topic(), PLACE.partition(), 0, "", ""));
        int before = byHand.done(done).size();
        Thread keeper = new Thread(() -> look(departures));
        keeper.start();
        offsets.sent.await();
        int late = byHand.done(done).size();
        offsets.answer.complete(null);
        keeper.join();
        return before + " " + late;
    }

    /** Whether a Kafka that says nothing is asked of what leaves at once, and of what was in hand then. */
    private String silent() throws Exception {
        begin(intake);
        intake.begin(SECOND, 5, 0L);
        intake.plan();
        Member member = member();
        Departures departures = new Departures(member, intake, new Commits(member, offsets, intake), telling);
        intake.end(Set.of(FIRST, SECOND));
        departures.begin(List.of(FIRST, SECOND), Map.of());
        departures.look(readings -> { });
        boolean isAsked = offsets.sent.getCount() == 0;
        offsets.sent = new CountDownLatch(1);
        intake.comeBack();
        departures.look(readings -> { });
        return departures.isEmpty() + " " + isAsked + " " + (offsets.sent.getCount() == 0);
    }

    /** What becomes of a commit when another queue is lost, and when one of its own is. */
    private String withdrawn() throws Exception {
        Commits commits = new Commits(member(), offsets, intake);
        return written(commits, SECOND) + ", " + written(commits, FIRST);
    }

    /** How many clients are given up for a commit that fails so. */
    private String refused(Exception error) throws Exception {
        Commits commits = new Commits(member(), offsets, intake);
        offsets.answer = new KafkaFutureImpl<>();
        offsets.answer.completeExceptionally(error);
        offsets.dropped = 0;
        try {
            commits.write(() -> Map.of(FIRST, 5L));
            return "written";
        } catch (Refused e) {
            return Integer.toString(offsets.dropped);
        }
    }

    private String written(Commits commits, Grant lost) throws InterruptedException {
        String[] said = new String[1];
        offsets.answer = new KafkaFutureImpl<>();
        offsets.sent = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            try {
                said[0] = "written " + commits.write(() -> Map.of(FIRST, 5L));
            } catch (Refused e) {
                said[0] = e.getMessage();
            }
        });
        writer.start();
        offsets.sent.await();
        pause();
        commits.withdraw(List.of(lost));
        offsets.answer.complete(null);
        writer.join();
        return said[0];
    }

    /** Whether the reader is woken when the keeper has found where a queue begins. */
    private String begun() throws Exception {
        Member member = member();
        AtomicInteger woken = new AtomicInteger();
        Keeper keeper = new Keeper(options, member, intake, offsets, new Commits(member, offsets, intake), telling,
                woken::incrementAndGet);
        keeper.start();
        keeper.begin(List.of(FIRST));
        Waiting.await(() -> woken.get() > 0);
        keeper.finish(HOUR);
        return intake.grants() + " " + woken;
    }

    /** A keeper whose first commit of these queues was refused, when their logs ended at 100. */
    private Keeper refusedAtFirst(List<Grant> grants) throws Exception {
        Member member = member();
        Commits commits = new Commits(member, offsets, intake);
        Keeper keeper = new Keeper(options, member, intake, offsets, commits, telling, () -> { });
        mayGoOn.countDown();
        offsets.length = 100;
        offsets.answer.completeExceptionally(new UnknownMemberIdException("played"));
        keeper.start();
        keeper.begin(grants);
        offsets.sent.await();
        return keeper;
    }

    /** Where two queues begin whose first commit is refused: one that is handed on then, and the other one. */
    private String decided() throws Exception {
        Keeper keeper = refusedAtFirst(List.of(FIRST, SECOND));
        offsets.length = 150;
        Map<Grant, Long> handedOn = keeper.forget(List.of(FIRST));
        offsets.answer = new KafkaFutureImpl<>();
        offsets.answer.complete(null);
        Waiting.await(() -> !intake.grants().isEmpty());
        keeper.finish(HOUR);
        return handedOn.get(FIRST) + " " + intake.plan().seeks.values();
    }

    /** Where a queue begins that was lost and has come again, when the first commit was refused and its log ends here. */
    private String decidedAgain(long end) throws Exception {
        Keeper keeper = refusedAtFirst(List.of(FIRST));
        keeper.lose(List.of(FIRST));
        offsets.length = end;
        offsets.answer = new KafkaFutureImpl<>();
        offsets.answer.complete(null);
        session.receive(assignment(3, "[0,3,null]", "", HOUR_MS), 0);
        keeper.begin(List.of(AGAIN));
        Waiting.await(() -> !intake.grants().isEmpty());
        keeper.finish(HOUR);
        return intake.plan().seeks.values() + " " + intake.decidedOf(List.of(AGAIN));
    }

    /** What is committed while a listener that was told of trouble does not come back, and another queue leaves. */
    private String deaf() throws Exception {
        Member member = member();
        Commits commits = new Commits(member, offsets, intake);
        options.commitInterval(Duration.ofMillis(MOMENT_MS));
        Keeper keeper = new Keeper(options, member, intake, offsets, commits, telling, () -> { });
        begin(intake);
        intake.comeBack();
        keeper.start();
        telling.troubleOnce("trouble");
        told.await();
        keeper.end(List.of(SECOND), Map.of());
        boolean isSent = offsets.sent.await(2 * WHILE_MS, TimeUnit.MILLISECONDS);
        offsets.answer.complete(null);
        mayGoOn.countDown();
        Waiting.await(() -> !heard.isEmpty());
        keeper.finish(HOUR);
        return isSent + " " + heard;
    }

    /** One message of the first queue is in hand. */
    private static void begin(Intake intake) {
        intake.begin(FIRST, 0, 0L);
        intake.plan();
        ConsumerRecord<String, String> record = new ConsumerRecord<>(PLACE.topic(), PLACE.partition(), 0, "", "");
        intake.handOut(new ConsumerRecords<>(Map.of(PLACE, List.of(record)), Map.of()), Set.of(FIRST));
    }

    /** Whether a keeper is waited for that does not come back. */
    private String hanging() throws Exception {
        Member member = member();
        Keeper keeper = new Keeper(options, member, intake, offsets, new Commits(member, offsets, intake), telling,
                () -> {
                    told.countDown();
                    await(mayGoOn);
                });
        keeper.start();
        keeper.begin(List.of(FIRST));
        told.await();
        keeper.finish(Duration.ofMillis(MOMENT_MS));
        mayGoOn.countDown();
        return "ended";
    }

    /** What a loop is told that has not come back while its listener hangs in the keeper. */
    private String deafAndStuck() throws Exception {
        options.maxPollInterval(Duration.ofMillis(MOMENT_MS));
        TrimtabConsumer<String, String> consumer =
                new TrimtabConsumer<>(options, new StringDeserializer(), new StringDeserializer());
        consumer.poll(Duration.ofMillis(1));
        Keeper keeper = (Keeper) fieldOf(TrimtabConsumer.class, "keeper").get(consumer);
        hangsInRevoked = true;
        keeper.end(List.of(FIRST), Map.of());
        told.await();
        Thread.sleep(WHILE_MS);
        try {
            consumer.poll(Duration.ofMillis(1));
            return "went on";
        } catch (StuckException e) {
            return "stuck";
        } finally {
            mayGoOn.countDown();
        }
    }

    /** How often a trouble is told that comes twice, with other numbers. */
    private static String repeated() throws InterruptedException {
        AtomicInteger count = new AtomicInteger();
        Telling counted = new Telling("m", ConsumerOptions.of("127.0.0.1:1", "billing", "orders").listener(new ConsumerListener() {
            @Override
            public void onTrouble(String text) {
                count.incrementAndGet();
            }
        }));
        counted.troubleOnce("Call(deadlineMs=1767225600000) timed out");
        counted.troubleOnce("Call(deadlineMs=1767225602000) timed out");
        counted.start(error -> { });
        counted.finish(HOUR);
        return count.toString();
    }

    /** One that has both queues, and no Kafka. */
    private Member member() throws ReflectiveOperationException {
        Profile profile = new Profile("billing", "m", List.of("orders"), HOUR_MS, HOUR_MS, null, null);
        session = new MemberSession(profile, LIFE, 0);
        session.receive(assignment(1, "[0,1,null],[1,1,null]", "", HOUR_MS), 0);
        Follower follower = new Follower(intake, telling, () -> { });
        Member member = new Member("billing", "m", List.of("orders"), options.member, follower);
        fieldOf(Member.class, "session").set(member, session);
        Object transport = fieldOf(Member.class, "transport").get(member);
        fieldOf(transport.getClass(), "writer").set(transport, WriterRules.toNobody());
        return member;
    }

    private static Field fieldOf(Class<?> owner, String name) throws ReflectiveOperationException {
        Field field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** It has these queues, is to give those, and is granted so much time for that. */
    private static Assignment assignment(long epoch, String hold, String give, long timeoutMs) {
        String queues = "{\"queues\":[{\"topic\":\"orders\",\"queues\":[%s]}]}";
        String gives = give.isEmpty() ? "{\"queues\":[]}" : String.format(queues, give);
        return Assignment.read(("{\"v\":1,\"kind\":\"assignment\",\"incarnation\":\"" + LIFE + "\",\"epoch\":" + epoch
                + ",\"hold\":" + String.format(queues, hold) + ",\"give\":" + gives
                + ",\"inherit\":{\"from\":[],\"queues\":[]},\"session_timeout_ms\":" + HOUR_MS
                + ",\"revocation_timeout_ms\":" + timeoutMs + ",\"heartbeat_interval_ms\":" + HOUR_MS + "}")
                .getBytes(StandardCharsets.UTF_8));
    }

    private static void pause() {
        try {
            Thread.sleep(MOMENT_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Hears of trouble for as long as it may. */
    private final class Hearer implements ConsumerListener {
        @Override
        public void onTrouble(String text) {
            told.countDown();
            await(mayGoOn);
        }

        @Override
        public void onRevoked(List<Grant> grants) {
            heard.add("revoked");
            if (hangsInRevoked) {
                told.countDown();
                await(mayGoOn);
            }
        }

        @Override
        public void onLost(List<Grant> grants) {
            heard.add("lost");
        }
    }

    /** What Kafka would say: all is committed at 5, or nothing; a commit waits for its answer. */
    private static final class PlayedOffsets extends GroupOffsets {
        private volatile KafkaFutureImpl<Void> answer = new KafkaFutureImpl<>();
        private CountDownLatch sent = new CountDownLatch(1);
        private int dropped;
        /** Where the queues end of which nothing is committed; 0: something is. */
        private volatile long length;

        PlayedOffsets(ConsumerOptions options) {
            super(options);
        }

        @Override
        Ends committed(Collection<TopicPartition> places) {
            Ends ends = new Ends();
            places.forEach(it -> ends.at.put(it, 5L));
            if (length > 0) {
                ends.none.addAll(places);
                ends.at.clear();
            }
            return ends;
        }

        @Override
        Ends first(Collection<TopicPartition> places) {
            Ends ends = new Ends();
            places.forEach(it -> ends.at.put(it, length));
            return ends;
        }

        @Override
        KafkaFuture<Void> write(Map<TopicPartition, OffsetAndMetadata> places) {
            KafkaFuture<Void> mine = answer; // before it is noticed: there may be another one then
            sent.countDown();
            return mine;
        }

        @Override
        void drop() {
            dropped++;
            answer.completeExceptionally(new KafkaException("the client was closed"));
        }
    }
}
