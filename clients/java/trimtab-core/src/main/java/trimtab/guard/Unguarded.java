package trimtab.guard;

/** A member works without its guard: should it be killed, that is found out by silence. */
final class Unguarded extends Exception {
    private static final long serialVersionUID = 1L;

    Unguarded(String why) {
        super(why + ": this member has no guard");
    }
}
