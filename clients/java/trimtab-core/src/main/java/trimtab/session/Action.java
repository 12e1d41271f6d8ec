package trimtab.session;

import java.util.List;
import trimtab.Grant;
import trimtab.protocol.Topic;

/** What a session asks its shell to do, in the order in which it must be done. */
public abstract class Action {
    private Action() {}

    /** Write a record, and report by its ticket whether Kafka has it. */
    public static final class Send extends Action {
        public final Topic topic;
        public final String key;
        public final String record;
        public final long ticket;

        Send(Topic topic, String key, String record, long ticket) {
            this.topic = topic;
            this.key = key;
            this.record = record;
            this.ticket = ticket;
        }
    }

    /** Ask where the log ends now, and report {@code caughtUp} once all before has been read. */
    public static final class FindEnd extends Action {}

    /** Start working on these. */
    public static final class Assigned extends Action {
        public final List<Grant> grants;

        Assigned(List<Grant> grants) {
            this.grants = grants;
        }
    }

    /** Stop working on these in good order, then {@code finish} them. */
    public static final class Revoked extends Action {
        public final List<Grant> grants;

        Revoked(List<Grant> grants) {
            this.grants = grants;
        }
    }

    /** Stop working on these at once: others may work on them already. Commit nothing. */
    public static final class Lost extends Action {
        public final List<Grant> grants;
        public final LossReason reason;

        Lost(List<Grant> grants, LossReason reason) {
            this.grants = grants;
            this.reason = reason;
        }
    }

    /** The member takes itself for dead, and joins anew. For people: say why. */
    public static final class Unheard extends Action {
        /** Since it sent the last beat that is known to be in the log. */
        public final long unheardMs;

        /** Since it was last known to have read the log to its end. */
        public final long unreadMs;

        Unheard(long unheardMs, long unreadMs) {
            this.unheardMs = unheardMs;
            this.unreadMs = unreadMs;
        }
    }

    /** The session is over; it will ask for nothing more. */
    public static final class Ended extends Action {
        public final Ending ending;

        Ended(Ending ending) {
            this.ending = ending;
        }
    }
}
