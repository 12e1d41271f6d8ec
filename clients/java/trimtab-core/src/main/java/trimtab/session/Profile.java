package trimtab.session;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who a member is and what it wants, as its joins say it. The controller may clamp the timeouts. */
public final class Profile {
    /** As the wire's shortest timeout: beating faster is load and no knowledge. */
    private static final long MIN_HEARTBEAT_MS = 100;

    public final String group;
    public final String member;
    public final List<String> topics;
    public final long sessionTimeoutMs;
    public final long revocationTimeoutMs;

    /** A name that survives restarts, or null. */
    public final String instance;

    /** The library and its version, for people; null: not said. */
    public final String client;

    /** Whether a guard releases for it when its process is dead: for people. */
    private final boolean isGuarded;

    public Profile(
            String group,
            String member,
            List<String> topics,
            long sessionTimeoutMs,
            long revocationTimeoutMs,
            String instance,
            String client) {
        this(group, member, topics, sessionTimeoutMs, revocationTimeoutMs, instance, client, false);
    }

    private Profile(
            String group,
            String member,
            List<String> topics,
            long sessionTimeoutMs,
            long revocationTimeoutMs,
            String instance,
            String client,
            boolean isGuarded) {
        this.group = group;
        this.member = member;
        this.topics = List.copyOf(topics);
        this.sessionTimeoutMs = sessionTimeoutMs;
        this.revocationTimeoutMs = revocationTimeoutMs;
        this.instance = instance;
        this.client = client;
        this.isGuarded = isGuarded;
    }

    /** The same member, with a wish for other topics. */
    public Profile withTopics(List<String> wanted) {
        return new Profile(
                group, member, wanted, sessionTimeoutMs, revocationTimeoutMs, instance, client, isGuarded);
    }

    /** The same member, with a guard or without. */
    public Profile withGuard(boolean stands) {
        return new Profile(
                group, member, topics, sessionTimeoutMs, revocationTimeoutMs, instance, client, stands);
    }

    /** How often to beat until the controller says otherwise: Kafka's rule, a third. */
    long heartbeatIntervalMs() {
        return Math.max(MIN_HEARTBEAT_MS, sessionTimeoutMs / 3);
    }

    /** What a join says, with the last epoch that an earlier life of the process knew, or null. */
    Map<String, Object> wishes(Long lastEpoch) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("topics", topics);
        said.put("session_timeout_ms", sessionTimeoutMs);
        said.put("revocation_timeout_ms", revocationTimeoutMs);
        said.put("instance", instance);
        said.put("weight", 1);
        said.put("protocol", "cooperative");
        said.put("mode", "clustering");
        said.put("client", client);
        said.put("last_epoch", lastEpoch);
        said.put("marks", true);
        said.put("guarded", isGuarded ? true : null);
        return said;
    }

    boolean subscribes(String topic) {
        return topics.contains(topic);
    }
}
