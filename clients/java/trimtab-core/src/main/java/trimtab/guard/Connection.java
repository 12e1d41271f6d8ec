package trimtab.guard;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A stream to a Unix socket, in lines.
 *
 * <p>Java knows such sockets since 16, and this runs on 11; so what is new is found by its name. It never
 * blocks: Java closes a channel on which an interrupted thread waits, and any thread of the application may
 * come here. Nothing closes it while the process lives, but for {@link #close}.
 */
final class Connection {
    /** For the other end to take a connection, or a line; one that works takes microseconds. */
    private static final long PATIENCE_NS = 1_000_000_000;

    private static final long PAUSE_NS = 1_000_000;

    private final SocketChannel channel;
    private final ByteBuffer chunk = ByteBuffer.allocate(4_096);
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private Connection(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Connects.
     *
     * @throws ClassNotFoundException this Java has no Unix sockets
     */
    static Connection to(String path) throws IOException, ClassNotFoundException {
        Class<?> addresses = Class.forName("java.net.UnixDomainSocketAddress");
        long overAt = System.nanoTime() + PATIENCE_NS;
        try {
            SocketAddress address = (SocketAddress) addresses.getMethod("of", String.class).invoke(null, path);
            while (true) {
                SocketChannel channel = (SocketChannel) SocketChannel.class.getMethod("open", ProtocolFamily.class)
                        .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
                IOException why = whyNotConnected(channel, address);
                if (why == null) {
                    return new Connection(channel);
                }
                if (!isTimeLeft(overAt)) {
                    throw why;
                }
            }
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw new ClassNotFoundException("it is not as in Java 16", e);
        }
    }

    /** Says a line; false: the other end does not take it in time. */
    boolean say(String line) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        long overAt = System.nanoTime() + PATIENCE_NS;
        while (rest.hasRemaining()) {
            if (channel.write(rest) == 0 && !isTimeLeft(overAt)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The lines that have come since, without waiting.
     *
     * @throws EOFException none will come any more
     */
    List<String> lines() throws IOException {
        if (channel.read(chunk.clear()) < 0) {
            throw new EOFException();
        }
        List<String> lines = new ArrayList<>();
        for (chunk.flip(); chunk.hasRemaining(); ) {
            byte next = chunk.get();
            if (next == '\n') {
                lines.add(said.toString(StandardCharsets.UTF_8));
                said.reset();
            } else {
                said.write(next);
            }
        }
        return lines;
    }

    void close() throws IOException {
        channel.close();
    }

    /** Tries it once; null: it is connected. If very many wait to be taken there, the system refuses more. */
    private static IOException whyNotConnected(SocketChannel channel, SocketAddress address) throws IOException {
        IOException why = new IOException("it takes no connections");
        try {
            channel.configureBlocking(false);
            if (channel.connect(address)) {
                return null;
            }
        } catch (IOException e) {
            why = e;
        }
        channel.close();
        return why;
    }

    /** Waits a moment, unless the time is up; an interrupted thread does not sleep, and tries all the same. */
    private static boolean isTimeLeft(long overAt) {
        LockSupport.parkNanos(PAUSE_NS);
        return System.nanoTime() - overAt < 0;
    }
}
