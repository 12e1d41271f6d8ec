package trimtab.checks;

import java.util.function.BooleanSupplier;

/** Waiting for something that comes: far longer than it takes, but not for ever. */
public final class Waiting {
    private Waiting() {}

    public static void await(BooleanSupplier comes) throws InterruptedException {
        for (int tries = 0; tries < 500 && !comes.getAsBoolean(); tries++) {
            Thread.sleep(20);
        }
    }
}
