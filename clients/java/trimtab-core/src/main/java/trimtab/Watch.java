package trimtab;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.session.Action;
import trimtab.session.Ending;

/**
 * What one member tells people: each trouble once in a while, and that no controller answers.
 *
 * <p>A session asks to join for as long as it takes. People want to be told. It changes nothing.
 */
final class Watch {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** The same trouble again is told once in this time. */
    private static final long TROUBLE_MS = 60_000;
    /** A controller answers within a second. One that takes over, or catches up, needs ten. */
    private static final long UNANSWERED_MS = 15_000;
    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    private final String member;
    private final MemberOptions options;
    private final Consumer<String> hearer;
    /** By what was told, without its numbers: when. */
    private final Map<String, Long> told = new HashMap<>();
    /** Since when what it has said is in the log, and nobody has answered; null: it is answered. */
    private Long askedAt;

    Watch(String member, MemberOptions options, Consumer<String> hearer) {
        this.member = member;
        this.options = options;
        this.hearer = hearer;
    }

    void trouble(String reason, long now) {
        if (isNews(reason, now)) {
            LOG.warn("{}: {}", member, reason);
            hearer.accept(reason);
        }
    }

    private boolean isNews(String what, long now) {
        told.values().removeIf(it -> now - it >= TROUBLE_MS);
        return told.putIfAbsent(NUMBERS.matcher(what).replaceAll(""), now) == null;
    }

    /** Queues were taken from the member. */
    void lost(Action.Lost lost) {
        LOG.warn("{} lost {} queues: {}", member, lost.grants.size(), lost.reason.text);
    }

    /** A callback takes too long; the log alone says so, for no other callback runs meanwhile. Null: none does. */
    void slow(String what, long now) {
        if (what != null && isNews("slow", now)) {
            LOG.warn("{}: {}", member, what);
        }
    }

    /** It takes itself for dead. */
    void relapsed(Action.Unheard why, long now) {
        if (isNews("joins anew", now)) {
            LOG.warn("{} joins anew: unheard for {} ms, has not read for {} ms", member, why.unheardMs, why.unreadMs);
        }
    }

    /** It is over. */
    void ended(Ending how) {
        if (how == Ending.REPLACED) {
            LOG.error("{} has ended: a younger process has taken its name", member);
        }
    }

    /** It has failed. To log that may fail as well: what the application has thrown may throw, and memory be short. */
    void failed(String what, Throwable error) {
        try {
            LOG.error("{}: {}", member, what, error);
        } catch (Throwable e) {
            failedSilently(what, error);
        }
    }

    private void failedSilently(String what, Throwable error) {
        try {
            LOG.error("{}: {}: {}", member, what, error.getClass().getName());
        } catch (Throwable e) {
            // whoever has failed ends all the same, and loses what it has
        }
    }

    /** Kafka has a record of the member. */
    void delivered(long now) {
        askedAt = askedAt == null ? (Long) now : askedAt;
    }

    /** Time has passed. */
    void look(boolean isAnswered, long now) {
        if (isAnswered) {
            askedAt = null;
        } else if (askedAt != null && now - askedAt >= UNANSWERED_MS) {
            trouble("no controller answers: the join of this member has been in topic " + options.prefix
                    + "members of Kafka at " + options.servers + " for " + UNANSWERED_MS / 1_000
                    + " s. Start a controller with prefix \"" + options.prefix + "\" on this Kafka, or look at its"
                    + " log, and run `trimtab health` where it runs. The member goes on asking", now);
        }
    }
}
