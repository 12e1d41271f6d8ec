package trimtab.rocketmq.broker;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * What an operator sets: system properties {@code trimtab.…}, or the environment ({@code TRIMTAB_…}).
 *
 * <p>{@code trimtab.kafka}: the controller's Kafka; without it the hook does nothing. {@code trimtab.groups}:
 * the groups whose heartbeats are copied, by names or patterns ({@code billing,orders-*}). {@code trimtab.prefix},
 * {@code trimtab.patience} (seconds) and {@code trimtab.kafka.options} (a file for kafka-clients) have defaults.
 */
final class HookSettings {
    /** RocketMQ's own time for a client that is silent, {@code channelExpiredTimeout}: four heartbeats. */
    private static final String PATIENCE_S = "120";
    /** More than twice the time between two signs of a controller: with less, one that is late would change owners. */
    private static final Duration LEAST = Duration.ofSeconds(12);

    final String servers;
    final String prefix;
    final Duration patience;
    final Map<String, Object> kafka = new HashMap<>();
    private final List<Pattern> groups = new ArrayList<>();

    private HookSettings() {
        servers = setting("trimtab.kafka", "");
        prefix = setting("trimtab.prefix", "trimtab.");
        patience = patience("trimtab.patience", PATIENCE_S);
        for (String name : setting("trimtab.groups", "").split(",")) {
            if (!name.isBlank()) {
                groups.add(pattern(name.strip()));
            }
        }
    }

    /** Reads them all; what makes no sense is refused with the reason. */
    static HookSettings read() throws IOException {
        HookSettings settings = new HookSettings();
        String file = setting("trimtab.kafka.options", "");
        if (!file.isEmpty()) {
            Properties options = new Properties();
            try (Reader text = Files.newBufferedReader(Path.of(file))) {
                options.load(text);
            } catch (IOException e) {
                throw new IOException("trimtab.kafka.options: " + e, e);
            }
            options.stringPropertyNames().forEach(it -> settings.kafka.put(it, options.getProperty(it)));
        }
        return settings;
    }

    /** Whether there is anything to do. */
    boolean areGiven() {
        return !servers.isEmpty();
    }

    /** Whether what clients say of a group is copied to the controller. */
    boolean follows(String group) {
        for (Pattern each : groups) {
            if (each.matcher(group).matches()) {
                return true;
            }
        }
        return false;
    }

    private static Duration patience(String name, String otherwise) {
        String said = setting(name, otherwise);
        String must = name + " must be a number of seconds, " + LEAST.toSeconds() + " at least, and is \"" + said + "\"";
        Duration patience;
        try {
            patience = Duration.ofSeconds(Long.parseLong(said));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(must);
        }
        if (patience.compareTo(LEAST) < 0) {
            throw new IllegalArgumentException(must);
        }
        return patience;
    }

    private static Pattern pattern(String name) {
        StringBuilder regex = new StringBuilder();
        for (char each : name.toCharArray()) {
            regex.append(each == '*' ? ".*" : each == '?' ? "." : Pattern.quote(String.valueOf(each)));
        }
        return Pattern.compile(regex.toString());
    }

    private static String setting(String name, String otherwise) {
        String inEnvironment = System.getenv(name.toUpperCase(Locale.ROOT).replace('.', '_'));
        return System.getProperty(name, inEnvironment == null ? otherwise : inEnvironment).strip();
    }
}
