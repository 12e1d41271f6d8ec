package trimtab.checks;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/**
 * One of RocketMQ's own servers in a process of its own, so that it can be killed.
 *
 * <p>{@code RocketPart FOLDER names PORT} is a name server, {@code RocketPart FOLDER BROKER PORT NAMESRV} a broker,
 * which obeys lines: {@code topic NAME QUEUES} makes a topic; {@code watch GROUP TOPIC FILE FIRST} appends to a file
 * what that group alone commits from now on, in the words of {@code chaos/history.py}, where its first queue has that number.
 * At the end of stdin it shuts down in good order.
 */
public final class RocketPart {
    private static Thread watch;

    private RocketPart() {}

    public static void main(String[] args) throws Exception {
        System.setProperty("rocketmq.home.dir", args[0]);
        // As RocketMQ's own main programs do: without it a name server takes no topics from a broker.
        System.setProperty(RemotingCommand.REMOTING_VERSION_KEY, Integer.toString(MQVersion.CURRENT_VERSION));
        int port = Integer.parseInt(args[2]);
        if ("names".equals(args[1])) {
            NamesrvController names = RocketServer.names(port);
            obey(null);
            names.shutdown();
        } else {
            BrokerController broker = RocketServer.broker(Path.of(args[0]), "DefaultCluster", args[1], args[3], port);
            obey(broker);
            broker.shutdown();
        }
        System.exit(0);
    }

    private static void obey(BrokerController broker) throws Exception {
        System.out.println("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] order = line.split(" ");
            if ("watch".equals(order[0])) {
                watch(broker, order);
                continue;
            }
            int queues = Integer.parseInt(order[2]);
            broker.getTopicConfigManager().updateTopicConfig(new TopicConfig(order[1], queues, queues));
            broker.registerBrokerAll(true, false, true);
            System.out.println("made");
        }
    }

    private static void watch(BrokerController broker, String[] order) throws IOException {
        FileOutputStream events = new FileOutputStream(order[3], true);
        int first = Integer.parseInt(order[4]);
        String name = broker.getBrokerConfig().getBrokerName();
        if (watch != null) {
            watch.interrupt();
        }
        watch = new OffsetWatch(broker, order[1], order[2], (queue, offset) -> {
            String line = String.format("[%d, \"%s\", \"committed\", %d, -1, %d, -1, \"\"]%n",
                    System.nanoTime(), name, first + queue, offset);
            try {
                events.write(line.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        watch.start();
    }
}
