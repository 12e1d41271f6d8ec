package trimtab.rocketmq;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;

/** A broker that answers each question in turn by a code of RocketMQ's, and nothing else. */
final class PlayedBroker {
    /** Instead of an answer, the thread that asks is interrupted. */
    static final int INTERRUPT = -1;
    private static final Pattern NUMBER = Pattern.compile("\"opaque\":(\\d+)");

    private final List<Integer> codes;
    private final Thread asker = Thread.currentThread();
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    volatile int questions;

    PlayedBroker(Integer... codes) throws IOException {
        this.codes = List.of(codes);
        Thread thread = new Thread(this::run, "played-broker");
        thread.setDaemon(true);
        thread.start();
    }

    /** Has a client know it under this name. */
    @SuppressWarnings("unchecked")
    void introduce(MQClientInstance client, String name) {
        Map<Long, String> places = new HashMap<>(Map.of(0L, "127.0.0.1:" + server.getLocalPort()));
        ((Map<String, Map<Long, String>>) Fields.get(client, "brokerAddrTable")).put(name, places);
        client.getMQClientAPIImpl().start();
    }

    private void run() {
        try (Socket client = server.accept()) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            for (int code : codes) {
                byte[] question = new byte[in.readInt()];
                in.readFully(question);
                questions++;
                if (code == INTERRUPT) {
                    asker.interrupt();
                } else {
                    answer(out, new String(question, StandardCharsets.UTF_8), code);
                }
            }
            in.read(); // until the client goes
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(DataOutputStream out, String question, int code) throws IOException {
        Matcher number = NUMBER.matcher(question);
        if (!number.find()) {
            throw new IllegalStateException(question);
        }
        byte[] head = ("{\"code\":" + code + ",\"flag\":1,\"language\":\"JAVA\",\"opaque\":" + number.group(1)
                + ",\"version\":0}").getBytes(StandardCharsets.UTF_8);
        out.writeInt(4 + head.length);
        out.writeInt(head.length); // its highest byte: JSON
        out.write(head);
        out.flush();
    }
}
