package trimtab.checks;

import java.time.Duration;
import java.util.Set;
import org.apache.rocketmq.client.exception.MQClientException;
import sun.misc.Signal;
import trimtab.MemberOptions;

/**
 * A member of a round of chaos: a consumer of RocketMQ that has an effect of each message in a store.
 *
 * <p>{@code ChaosMember NAMESRV KAFKA PREFIX GROUP TOPIC QUEUES NAME WHO concurrently|orderly|lite|pull|hooked EVENTS STORE}.
 * One that is {@code hooked} has no line of trimtab's: its brokers have the hook. At SIGUSR1 its next message takes long; at SIGTERM it shuts its consumer down; with its stdin it ends at once.
 */
public final class ChaosMember {
    private static final long AGAIN_MS = 1_000;
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration REVOCATION = Duration.ofSeconds(20);

    private final String[] args;
    private final ChaosEffects effects;
    private volatile ChaosClient client;

    private ChaosMember(String[] args, ChaosEffects effects) {
        this.args = args;
        this.effects = effects;
    }

    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1); // or the round would wait for one that does nothing
        });
        boolean isGated = !Set.of("lite", "pull").contains(args[8]);
        ChaosEffects effects =
                new ChaosEffects(args[7], Integer.parseInt(args[5]), args[9], Integer.parseInt(args[10]), isGated);
        ChaosMember member = new ChaosMember(args, effects);
        Signal.handle(new Signal("USR1"), it -> effects.slow());
        Runtime.getRuntime().addShutdownHook(new Thread(member::leave));
        member.start();
        while (System.in.read() >= 0) {
            // it is told nothing
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * RocketMQ's consumer does not start while no name server answers; then it is made anew. It may work all
     * the same: it finds no routes when it is already at work, and nobody else may have its name until it ends.
     */
    private void start() throws InterruptedException, MQClientException {
        while (true) {
            client = made();
            try {
                client.start();
                return;
            } catch (MQClientException | IllegalStateException e) {
                System.out.println(e);
                client.end();
                Thread.sleep(AGAIN_MS);
            }
        }
    }

    private ChaosClient made() throws MQClientException {
        MemberOptions options = MemberOptions.of(args[1])
                .prefix(args[2])
                .sessionTimeout(SESSION)
                .revocationTimeout(REVOCATION);
        switch (args[8]) {
            case "lite":
                return new ChaosLite(args[3], args[0], args[6], args[4], effects, options);
            case "pull":
                return new ChaosPull(args[3], args[0], args[6], args[4], effects, options);
            case "hooked":
                return new ChaosPush(args[3], args[0], args[6], args[4], effects, false).byBroker();
            default:
                return new ChaosPush(args[3], args[0], args[6], args[4], effects, "orderly".equals(args[8]))
                        .attached(options);
        }
    }

    private void leave() {
        try {
            if (client != null) {
                client.end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }
}
