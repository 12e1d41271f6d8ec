package trimtab.session;

import java.util.ArrayList;
import java.util.List;
import trimtab.Grant;
import trimtab.protocol.ReleaseRow;

/** What one input changed, in the order in which the application must hear of it. */
final class Changes {
    final List<Grant> lost = new ArrayList<>();
    final List<Grant> revoked = new ArrayList<>();
    final List<Grant> assigned = new ArrayList<>();
    final List<ReleaseRow> released = new ArrayList<>();

    /** First what is lost, because others may work on it already; last what may be started. */
    void tell(List<Action> actions, LossReason reason) {
        if (!lost.isEmpty()) {
            actions.add(new Action.Lost(lost, reason));
        }
        if (!revoked.isEmpty()) {
            actions.add(new Action.Revoked(revoked));
        }
        if (!assigned.isEmpty()) {
            actions.add(new Action.Assigned(assigned));
        }
    }
}
