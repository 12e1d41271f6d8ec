package trimtab.protocol;

/** What was read is not a record of the contract. Whoever reads a log skips it and says so. */
public final class UndecodableRecord extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UndecodableRecord(String reason) {
        super(reason);
    }
}
