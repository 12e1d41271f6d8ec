package trimtab;

import java.util.Set;

/** Which grants are valid at one moment, and the life of the member that has them. */
public final class Ownership {
    static final Ownership NONE = new Ownership(Set.of(), "");

    public final Set<Grant> grants;

    /** The incarnation of the member, as its records say it. */
    public final String life;

    Ownership(Set<Grant> grants, String life) {
        this.grants = grants;
        this.life = life;
    }
}
