package trimtab.protocol;

import java.util.Objects;

/** One life of a member. */
public final class Life {
    public final String member;
    public final String incarnation;

    public Life(String member, String incarnation) {
        this.member = member;
        this.incarnation = incarnation;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Life
                && member.equals(((Life) other).member)
                && incarnation.equals(((Life) other).incarnation);
    }

    @Override
    public int hashCode() {
        return Objects.hash(member, incarnation);
    }
}
