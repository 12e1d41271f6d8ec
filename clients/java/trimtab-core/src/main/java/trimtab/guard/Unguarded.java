package trimtab.guard;

/** A member works without its guard: if it is killed, only its silence shows that. */
final class Unguarded extends Exception {
    private static final long serialVersionUID = 1L;

    Unguarded(String why) {
        super(why + ": this member has no guard");
    }
}
