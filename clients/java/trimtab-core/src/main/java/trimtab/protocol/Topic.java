package trimtab.protocol;

/** The topics of a member, without their prefix. */
public enum Topic {
    MEMBERS,
    HEARTBEATS,
    RELEASES,
    ASSIGNMENTS;

    /** As it is called after the prefix. */
    public String suffix() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
