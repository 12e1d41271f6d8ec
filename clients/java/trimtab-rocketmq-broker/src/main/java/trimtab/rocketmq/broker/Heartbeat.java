package trimtab.rocketmq.broker;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a broker's own thread has to know of a heartbeat: found in the text, as RocketMQ's clients write it.
 *
 * <p>Its one rule: it is not parsed, because the client waits meanwhile. What is copied is parsed by {@link Copies}.
 */
final class Heartbeat {
    private static final Pattern CLIENT = Pattern.compile("\"clientID\":\"([^\"]+)\"");
    /** Groups of producers are none that have members. Their names stand before or behind those of consumers. */
    private static final Pattern PRODUCERS = Pattern.compile("\"producerDataSet\":\\[[^\\]]*\\]");
    private static final Pattern GROUP = Pattern.compile("\"groupName\":\"([^\"]+)\"");
    /** Of version 2: the client has said before what it subscribes. */
    private static final String REPEATS = "\"withoutSub\":true";

    /** Null: it names none. */
    final String client;
    /** Of consumers. */
    final Set<String> groups = new LinkedHashSet<>();
    final boolean isRepeated;

    private Heartbeat(String text) {
        Matcher named = CLIENT.matcher(text);
        client = named.find() ? named.group(1) : null;
        for (Matcher each = GROUP.matcher(PRODUCERS.matcher(text).replaceFirst("")); each.find(); ) {
            groups.add(each.group(1));
        }
        isRepeated = text.contains(REPEATS);
    }

    static Heartbeat of(byte[] body) {
        return new Heartbeat(new String(body, StandardCharsets.UTF_8));
    }
}
