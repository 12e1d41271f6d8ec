package trimtab.session;

import trimtab.protocol.GrantRef;
import trimtab.protocol.HolderRow;
import trimtab.protocol.Life;
import trimtab.protocol.Next;

/**
 * What a holder knows of who comes next, and whom its release names therefore.
 *
 * <p>Whom it was told of may have gone since, and be back as a younger life; and a holder that has
 * begun by itself was told of nobody yet. Then it names a younger life by name: so a rolling restart
 * needs no controller. Only a life is named whose mark was read, and nobody who has said that it goes.
 */
final class Outlook {
    static final Outlook UNTOLD = new Outlook(null, null);

    /** As last told, or null. */
    private final Next next;

    /** The grant that it has the queue from, until a record says who comes next; or null. */
    private final GrantRef source;

    private Outlook(Next next, GrantRef source) {
        this.next = next;
        this.source = source;
    }

    static Outlook told(HolderRow row) {
        return new Outlook(row.next, null);
    }

    static Outlook begunFrom(GrantRef source) {
        return new Outlook(null, source);
    }

    /** Whether a release has begun its grant, and no record has said who comes next. */
    boolean isOfRelease() {
        return source != null;
    }

    /** Whom the life {@code me} names when it releases its grant of this epoch; null: nobody. */
    Next named(Life me, long epoch, Recall recall) {
        Life former;
        long under;
        if (next != null) {
            if (next.life == null || !recall.hasGone(next.life)) {
                return new Next(next.epoch, null);
            }
            former = next.life;
            under = next.epoch;
        } else if (source != null) {
            former = source.life;
            under = epoch + 1;
        } else {
            return null;
        }
        Life younger = recall.successor(former);
        if (younger == null || isOneOfMine(younger, me)) {
            return null;
        }
        return new Next(under, younger);
    }

    private static boolean isOneOfMine(Life younger, Life me) {
        return younger.member.equals(me.member) && younger.incarnation.compareTo(me.incarnation) <= 0;
    }
}
