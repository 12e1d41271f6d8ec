package trimtab.protocol;

/** The grant that comes next on a queue. */
public final class Next {
    public final long epoch;

    /** Whose it is, or null: in an assignment if that is not known, in a release if it was promised. */
    public final Life life;

    public Next(long epoch, Life life) {
        this.epoch = epoch;
        this.life = life;
    }
}
