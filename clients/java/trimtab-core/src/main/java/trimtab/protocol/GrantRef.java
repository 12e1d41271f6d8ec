package trimtab.protocol;

import java.util.Objects;

/** Exactly one grant: whose it is, and under which epoch. What an heir waits for is the release of one. */
public final class GrantRef {
    public final Life life;
    public final long epoch;

    public GrantRef(Life life, long epoch) {
        this.life = life;
        this.epoch = epoch;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GrantRef
                && epoch == ((GrantRef) other).epoch
                && life.equals(((GrantRef) other).life);
    }

    @Override
    public int hashCode() {
        return Objects.hash(life, epoch);
    }
}
