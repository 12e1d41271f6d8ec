package trimtab.session;

import trimtab.Grant;
import trimtab.protocol.GrantRef;

/** What one life of a member does about one queue. No duty: it has nothing to do with it. */
abstract class Duty {
    /** The epoch of the grant that it is about. */
    abstract long epoch();

    /** The application has the queue: it works on it, or finishes its work. */
    abstract static class Owned extends Duty {
        final Grant grant;
        final Outlook outlook;

        Owned(Grant grant, Outlook outlook) {
            this.grant = grant;
            this.outlook = outlook;
        }

        abstract Owned with(Outlook told);

        @Override
        long epoch() {
            return grant.token;
        }
    }

    /** The application works on the queue. */
    static final class Working extends Owned {
        /** Whether a record does not know that a release has begun it. */
        private final boolean isDoubted;

        Working(Grant grant, Outlook outlook) {
            this(grant, outlook, false);
        }

        private Working(Grant grant, Outlook outlook, boolean isDoubted) {
            super(grant, outlook);
            this.isDoubted = isDoubted;
        }

        /** Whether a release has begun it, and no record has doubted that yet. */
        boolean isBegunByRelease() {
            return outlook.isOfRelease() && !isDoubted;
        }

        Working doubted() {
            return new Working(grant, outlook, true);
        }

        @Override
        Working with(Outlook told) {
            return new Working(grant, told);
        }
    }

    /** The application was told to stop and has not said yet that it did. */
    static final class Revoking extends Owned {
        final long deadline;

        Revoking(Grant grant, long deadline, Outlook outlook) {
            super(grant, outlook);
            this.deadline = deadline;
        }

        @Override
        Revoking with(Outlook told) {
            return new Revoking(grant, deadline, told);
        }
    }

    /** The queue is ours as soon as a release of its source names this epoch. */
    static final class Waiting extends Duty {
        final GrantRef source;
        private final long epoch;

        Waiting(long epoch, GrantRef source) {
            this.epoch = epoch;
            this.source = source;
        }

        @Override
        long epoch() {
            return epoch;
        }
    }
}
