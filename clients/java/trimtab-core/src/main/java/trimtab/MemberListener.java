package trimtab;

import java.util.List;
import trimtab.session.LossReason;

/**
 * What an application is told, one at a time, by a thread that is not the one that beats.
 *
 * <p>An exception ends the member: nobody knows then what the application works on.
 */
public interface MemberListener {
    /** Start working on these. Only what is new. */
    void onAssigned(List<Grant> grants);

    /** Finish, commit, and then call {@link Member#finish}: now or later, from any thread. */
    void onRevoked(List<Grant> grants);

    /** Stop at once, commit nothing: others may work on these already. */
    void onLost(List<Grant> grants, LossReason reason);

    /** Something is wrong that may pass: what, where, and what to do. The log has it, too. */
    default void onTrouble(String text) {}
}
