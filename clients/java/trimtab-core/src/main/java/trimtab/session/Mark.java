package trimtab.session;

import trimtab.protocol.Life;
import trimtab.protocol.Release;

/**
 * The mark: a release without queues, which shows from where on a life reads releases.
 *
 * <p>The controller promises nothing to a life whose mark it has not read. It goes out with each
 * join, and with each beat until one that was written after the first answer is read back.
 */
final class Mark {
    private final Life life;
    private boolean needed = true;
    private boolean unsaid = true;
    /** The sequence of the first one that was written after the answer. */
    private Long countsFrom;

    Mark(Life life) {
        this.life = life;
    }

    boolean due() {
        return needed;
    }

    /** A join goes out: the controller may not have read the mark, and Kafka may have lost it. */
    void again() {
        needed = true;
    }

    /** Say, with a release or before the leave, that this life goes. */
    boolean lastWord() {
        unsaid = false;
        return true;
    }

    /** Whether nobody has been told yet that this life goes. */
    boolean goesUnsaid() {
        return unsaid;
    }

    void sent(long sequence, boolean answered) {
        if (answered && countsFrom == null) {
            countsFrom = sequence;
        }
    }

    void heard(Release release) {
        if (release.life.equals(life) && countsFrom != null && release.sequence >= countsFrom) {
            needed = false;
        }
    }
}
