package trimtab.rocketmq.broker;

/**
 * A thread of the hook that does one thing again and again.
 *
 * <p>Its one rule: nothing that goes wrong in a turn ends it, also no Error. A broker whose hook has lost a thread
 * would share queues out by itself, or copy no heartbeat, until it is restarted, and the other brokers would not.
 */
final class Turns {
    private static final long PAUSE_MS = 1_000;

    /** What is done. */
    interface Turn {
        void take() throws InterruptedException;
    }

    private final Turn turn;
    private final Troubles troubles;
    private final String kind;

    private Turns(Turn turn, Troubles troubles, String kind) {
        this.turn = turn;
        this.troubles = troubles;
        this.kind = kind;
    }

    /** Begins; trouble of a turn is told as this kind. */
    static void begin(String name, Turn turn, Troubles troubles, String kind) {
        Thread thread = new Thread(new Turns(turn, troubles, kind)::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                if (!isTaken()) {
                    Thread.sleep(PAUSE_MS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says whether the next may follow at once: one record's trouble is not the next one's. */
    private boolean isTaken() throws InterruptedException {
        try {
            turn.take();
            return true;
        } catch (RuntimeException e) {
            tell(e);
            return true;
        } catch (Error e) { // a class that is missing is so in the next turn as well, and memory may come back
            tell(e);
            return false;
        }
    }

    private void tell(Throwable trouble) {
        try {
            troubles.tell(kind, trouble.toString());
        } catch (Throwable e) {
            // that may fail by the same, and there is nobody else to tell
        }
    }
}
