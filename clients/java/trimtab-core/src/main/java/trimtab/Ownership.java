package trimtab;

import java.time.Duration;
import java.util.Set;

/** Which grants are valid at one moment, and the life of the member that has them. */
public final class Ownership {
    static final Ownership NONE = new Ownership(Set.of(), "", null);

    public final Set<Grant> grants;

    /** The incarnation of the member, as its records say it. */
    public final String life;

    /** The time in which the first of them that is revoked must be finished, or all is lost; null: none is. */
    public final Duration left;

    Ownership(Set<Grant> grants, String life, Duration left) {
        this.grants = grants;
        this.life = life;
        this.left = left;
    }
}
