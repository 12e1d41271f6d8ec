package trimtab;

/**
 * Milliseconds that only go forward, also while the machine sleeps.
 *
 * <p>Java's own such clock stands still in a suspended machine, and a member that slept must find out
 * that it is dead. So a leap of the wall clock counts as well: to take it for sleep is safe, the
 * member only fences itself too early.
 */
final class Clock {
    /** The two clocks differ by rounding and by slewing, at most by this between two looks. */
    private static final long LEAP_MS = 1_000;

    private long now;
    private long steadyMs = System.nanoTime() / 1_000_000;
    private long wallMs = System.currentTimeMillis();

    synchronized long now() {
        long steady = System.nanoTime() / 1_000_000;
        long wall = System.currentTimeMillis();
        long passed = Math.max(0, steady - steadyMs);
        long byTheWall = wall - wallMs;
        now += byTheWall > passed + LEAP_MS ? byTheWall : passed;
        steadyMs = steady;
        wallMs = wall;
        return now;
    }
}
