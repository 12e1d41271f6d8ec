package trimtab.protocol;

import java.util.Objects;

/** The grant that comes next on a queue. */
public final class Next {
    public final long epoch;

    /** Whose it is, or null: in an assignment if that is not known, in a release if it was promised. */
    public final Life life;

    public Next(long epoch, Life life) {
        this.epoch = epoch;
        this.life = life;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Next
                && epoch == ((Next) other).epoch
                && Objects.equals(life, ((Next) other).life);
    }

    @Override
    public int hashCode() {
        return Objects.hash(epoch, life);
    }
}
