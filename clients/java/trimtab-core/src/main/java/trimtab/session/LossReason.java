package trimtab.session;

/** Why queues were lost. */
public enum LossReason {
    UNHEARD("no heartbeat has reached Kafka, or nothing could be read from it, for too long"),
    UNKNOWN("the controller no longer knows this member"),
    REPLACED("a younger process joined under the same name"),
    TAKEN("the controller gave them to another member"),
    RELEASED("the controller or a guard has released them in the name of this member"),
    OVERDUE("a queue was not released in time"),
    FAILED("the member has failed");

    /** For people. */
    public final String text;

    LossReason(String text) {
        this.text = text;
    }
}
