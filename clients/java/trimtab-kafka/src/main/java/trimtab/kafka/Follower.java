package trimtab.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import trimtab.Grant;
import trimtab.MemberListener;
import trimtab.session.LossReason;

/**
 * Begins and ends queues as the member is told, on the thread of its callbacks.
 *
 * <p>A queue with a position is begun at once; the keeper finds where to begin with the others. It never waits.
 */
final class Follower implements MemberListener {
    private final Intake intake;
    private final Telling telling;
    private final Runnable wake;
    private Keeper keeper;
    private Commits commits;

    Follower(Intake intake, Telling telling, Runnable wake) {
        this.intake = intake;
        this.telling = telling;
        this.wake = wake;
    }

    /** They need the member, which needs this. */
    void follow(Keeper itsKeeper, Commits itsCommits) {
        keeper = itsKeeper;
        commits = itsCommits;
    }

    @Override
    public void onAssigned(List<Grant> grants) {
        telling.granted(grants);
        List<Grant> unknown = new ArrayList<>();
        Map<Grant, Long> known = new HashMap<>();
        for (Grant grant : grants) {
            if (grant.position == null) {
                unknown.add(grant);
            } else {
                known.put(grant, grant.position);
            }
        }
        known.forEach((grant, at) -> intake.begin(grant, at, null));
        wake.run();
        keeper.begin(unknown);
    }

    @Override
    public void onRevoked(List<Grant> grants) {
        Map<Grant, Long> whereToBegin = keeper.forget(grants);
        intake.end(grants);
        keeper.end(grants, whereToBegin);
        wake.run();
    }

    @Override
    public void onLost(List<Grant> grants, LossReason reason) {
        commits.withdraw(grants);
        keeper.lose(grants);
        intake.end(grants);
        intake.forget(intake.readingsOf(grants));
        wake.run();
        telling.lost(grants);
    }

    @Override
    public void onTrouble(String text) {
        telling.trouble(text);
    }
}
