package trimtab.guard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import trimtab.protocol.Holdings;
import trimtab.protocol.JsonReader;
import trimtab.protocol.JsonWriter;
import trimtab.protocol.UndecodableRecord;

/**
 * The member's side of its guard: it finds it, says what the member holds, and takes its leave.
 *
 * <p>A process that runs under {@code trimtab-guard} finds the guard by an environment variable. What the two
 * say to each other is in {@code docs/guard.md}. Not safe for several threads at once: the member comes with
 * its lock. Without such a variable nothing here does anything.
 *
 * <p>Its one rule: a guard that cannot be told what is held now must not speak of what was held once, so it is
 * ended.
 */
public final class Guard {
    /** The environment variable that names the socket of the guard that a process runs under. */
    private static final String ADDRESS = "TRIMTAB_GUARD";
    /** For a guard to say that it watches: one that is full does not answer. */
    private static final Duration WELCOME = Duration.ofSeconds(10);

    private final String address;
    private final Post post;
    private final Consumer<String> report;
    /** Null: nobody stands guard. */
    private Connection connection;
    /** The guard's process, once it has said that it watches ours; null: it has not. */
    private Long pid;
    private Holdings told;
    /** When it was asked, by {@code System.nanoTime()}. */
    private long askedAt;
    /** Whether it was said that it has not answered; it still may. */
    private boolean isMissed;

    /** Reports if nobody stands guard though there is such a variable, from the beginning or any more. */
    public Guard(Post post, Consumer<String> report) {
        this.address = System.getenv(ADDRESS);
        this.post = post;
        this.report = report;
    }

    /** Finds the guard, which connects to Kafka by itself. */
    public void start() {
        if (address != null && !address.isEmpty()) {
            try {
                String line = post.line();
                connection = connected();
                askedAt = System.nanoTime();
                say(line);
            } catch (Unguarded e) {
                report.accept(e.getMessage());
            } catch (RuntimeException e) {
                report.accept("no guard: " + e);
            }
        }
    }

    /** Whether somebody is there who stands guard, or is about to. */
    public boolean stands() {
        return connection != null;
    }

    /** Takes what it has to say; whether that was anything, so that it is to be told what is held. */
    public boolean hasSpoken() {
        try {
            boolean spoke = connection != null && listen();
            miss();
            return spoke;
        } catch (Unguarded e) {
            report.accept(e.getMessage());
            return false;
        }
    }

    /** Says what is held now; the application may be told afterwards. */
    public void keep(Supplier<Holdings> holdings) {
        try {
            if (connection != null) {
                listen();
            }
            if (connection != null && pid != null) {
                Holdings now = holdings.get();
                if (!now.equals(told)) {
                    told = now;
                    say(now.line());
                }
            }
        } catch (Unguarded e) {
            report.accept(e.getMessage());
        }
    }

    /** Says farewell: all is in good order, and the guard has nothing to do. */
    public void dismiss() {
        try {
            if (connection != null) {
                say(JsonWriter.write(Map.of("kind", "farewell")));
                close();
            }
        } catch (Unguarded e) {
            connection = null; // it has ended: so much the better
        }
    }

    /** Says once that it does not answer. */
    private void miss() {
        boolean isAsked = connection != null && pid == null;
        if (isAsked && !isMissed && System.nanoTime() - askedAt >= WELCOME.toNanos()) {
            isMissed = true;
            report.accept("the guard has not answered for " + WELCOME.toSeconds()
                    + " s, as one that is full does not: this member has no guard until it does");
        }
    }

    private void say(String line) throws Unguarded {
        try {
            if (connection.say(line)) {
                return;
            }
        } catch (IOException e) {
            listen(); // it says why, if it has ended
        }
        throw deaf();
    }

    /** Takes what it says: that it stands, that it does not, or, by closing, that it is dead. */
    private boolean listen() throws Unguarded {
        boolean spoke = false;
        try {
            for (String line : connection.lines()) {
                spoke = true;
                hear((Map<?, ?>) JsonReader.read(line));
            }
        } catch (IOException e) {
            close();
            throw new Unguarded("the guard has ended");
        } catch (UndecodableRecord | ClassCastException e) {
            throw deaf(); // no guard of ours talks so
        }
        return spoke;
    }

    private void hear(Map<?, ?> said) throws Unguarded {
        if ("refused".equals(said.get("kind"))) {
            close();
            throw new Unguarded("the guard refuses: " + said.get("reason"));
        } else if ("welcome".equals(said.get("kind"))) {
            pid = (Long) said.get("pid");
        }
    }

    /** Ends a guard that does not know what is held. */
    private Unguarded deaf() {
        if (pid != null && pid != ProcessHandle.current().pid() && isGuard(pid)) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
        close(); // not before: to a guard that goes on its end may mean that we are dead
        return new Unguarded("the guard does not hear what is held");
    }

    private Connection connected() throws Unguarded {
        try {
            return Connection.to(address);
        } catch (ClassNotFoundException e) {
            throw new Unguarded("no guard: Java " + Runtime.version().feature()
                    + " has no Unix sockets; start this program with Java 16 or newer, or without trimtab-guard");
        } catch (IOException e) {
            boolean isBarred = String.valueOf(e.getMessage()).contains("Permission denied");
            throw new Unguarded("no guard is at " + address + ", where " + ADDRESS + " says (" + e.getMessage() + "): "
                    + (isBarred
                            ? "it is another user's; start trimtab-guard as the user of its command"
                            : "it has ended, or it is another container's"));
        }
    }

    private void close() {
        try {
            connection.close();
        } catch (IOException e) {
            report.accept("the connection to the guard cannot be closed: " + e.getMessage());
        }
        connection = null;
    }

    /** Whether this is a guard here as well, and not in a container that counts for itself. */
    private static boolean isGuard(long pid) {
        try {
            byte[] command = Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline"));
            return new String(command, StandardCharsets.ISO_8859_1).contains("trimtab.guard");
        } catch (IOException e) {
            return false; // there is no such process
        }
    }
}
