package trimtab.checks;

import java.util.List;
import trimtab.Grant;
import trimtab.MemberListener;
import trimtab.session.LossReason;

/** A listener that does nothing with what it is told. */
final class Deaf implements MemberListener {
    @Override
    public void onAssigned(List<Grant> grants) {}

    @Override
    public void onRevoked(List<Grant> grants) {}

    @Override
    public void onLost(List<Grant> grants, LossReason reason) {}
}
