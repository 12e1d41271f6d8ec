package trimtab.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** What is wrong with a way to Kafka, in one sentence: what, where, and what to do. */
public final class Diagnosis {
    /** What kafka-clients says, 3.9 and 4.3 alike, when DNS knows none of the hosts. */
    private static final String UNRESOLVED = "No resolvable bootstrap urls";
    /** What it says, 4.3, of a file with an OAuth token that is not there yet. */
    private static final String LATE = "that doesn't exist";
    /** What it says, 4.3, of a file with a key or certificates in PEM: not there yet, half written, or no PEM. */
    private static final String PEM_FILE = "Failed to load PEM SSL keystore";

    private static final Pattern PLACE = Pattern.compile("(?:\\w+://)?\\[?([^\\[\\]]+?)]?:\\d+");
    private static final Pattern USER = Pattern.compile("username=\"([^\"]*)\"");

    private final String servers;
    private final Map<String, Object> kafka;

    public Diagnosis(String servers, Map<String, Object> kafka) {
        this.servers = servers;
        this.kafka = kafka;
    }

    /** Says what is behind an error. */
    public String of(Throwable thrown) {
        Throwable error = causeOf(thrown);
        if (isUnresolved(error)) {
            return ofNoHost();
        }
        if (error instanceof SaslAuthenticationException) {
            return "Kafka at " + servers + " refuses the password of " + user() + " (" + said(error)
                    + "): check sasl.jaas.config and sasl.mechanism (" + setting("sasl.mechanism", "GSSAPI") + ")";
        }
        if (error instanceof SslAuthenticationException) {
            return "no TLS with Kafka at " + servers + " (" + said(error) + reasonOf(error) + "): if its certificate is not"
                    + " trusted, set ssl.truststore.location; if it wants yours, set ssl.keystore.location. Files that"
                    + " were renewed are read by a new start at the latest";
        }
        if (error instanceof TopicAuthorizationException) {
            return "Kafka at " + servers + " denies topics " + ((TopicAuthorizationException) error).unauthorizedTopics()
                    + " to " + user() + ": grant it the rights that docs/rights.md names";
        }
        if (error instanceof ClusterAuthorizationException) { // Kafka's words for it name no topic
            return "Kafka at " + servers + " lets " + user() + " write to no topic at all: grant it the rights that"
                    + " docs/rights.md names (before Kafka 2.8 also IdempotentWrite on the cluster)";
        }
        if (error instanceof GroupAuthorizationException) {
            return "Kafka at " + servers + " denies group " + ((GroupAuthorizationException) error).groupId()
                    + " to " + user() + ": grant it Read on the group (docs/rights.md)";
        }
        if (error instanceof TimeoutException || error instanceof DisconnectException
                || error instanceof java.util.concurrent.TimeoutException) {
            return "Kafka at " + servers + " does not answer (" + said(error) + "): is the broker up, is this its"
                    + " address, and does its listener speak " + setting("security.protocol", "PLAINTEXT")
                    + " (security.protocol)?";
        }
        boolean isBare = error.getCause() != null
                && (error.getClass() == KafkaException.class || isPemFile(error));
        return "trouble with Kafka at " + servers + ": " + said(error) + (isBare ? " (" + error.getCause() + ")" : "");
    }

    /** Says that no host is found. */
    public String ofNoHost() {
        return "no host of \"" + servers + "\" is found: check the servers";
    }

    /** Whether nobody knows any of the hosts now. What is no list of hosts and ports is Kafka's to refuse. */
    public boolean findsNoHost() {
        for (String each : setting("bootstrap.servers", servers).split(",")) {
            Matcher place = PLACE.matcher(each.strip());
            if (!place.matches()) {
                return false;
            }
            try {
                InetAddress.getByName(place.group(1));
                return false;
            } catch (UnknownHostException e) {
                // perhaps the next one
            }
        }
        return true;
    }

    /** Whether no host was found; Kafka has no kind of its own for that, and calls it a wrong setting. */
    public static boolean isUnresolved(Throwable error) {
        for (Throwable it = error; it != null; it = it.getCause()) {
            if (it instanceof ConfigException && String.valueOf(it.getMessage()).startsWith(UNRESOLVED)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a setting is wrong, and stays so. */
    public static boolean isWrong(Throwable error) {
        for (Throwable it = error; it != null; it = it.getCause()) {
            if (it instanceof ConfigException) {
                return !isUnresolved(error) && !String.valueOf(it.getMessage()).contains(LATE);
            }
            if (isPemFile(it)) {
                return false; // it may be mounted in a moment, as a store of another kind may
            }
            if (it instanceof IllegalArgumentException || it instanceof InvalidConfigurationException) {
                return true; // of sasl.jaas.config, and of certificates in the settings themselves
            }
        }
        return false;
    }

    private static boolean isPemFile(Throwable error) {
        return error instanceof InvalidConfigurationException && String.valueOf(error.getMessage()).startsWith(PEM_FILE);
    }

    /** What a future or a client has wrapped: a client that could not be made says only that, and its cause says why. */
    public static Throwable causeOf(Throwable error) {
        Throwable cause = error.getCause();
        boolean isFuture = error instanceof ExecutionException || error instanceof CompletionException;
        if (isFuture) {
            return cause == null ? error : causeOf(cause);
        }
        boolean isBare = error.getClass() == KafkaException.class && cause instanceof KafkaException;
        return isBare ? causeOf(cause) : error;
    }

    /** A handshake's error says only that it failed; what is behind it says why, some of it by its name. */
    private static String reasonOf(Throwable error) {
        Throwable last = error;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return last == error ? "" : ": " + last.getClass().getSimpleName() + ": " + last.getMessage();
    }

    private String user() {
        Matcher found = USER.matcher(setting("sasl.jaas.config", ""));
        return found.find() ? "user \"" + found.group(1) + "\"" : "this client";
    }

    private String setting(String name, String unlessGiven) {
        return String.valueOf(kafka.getOrDefault(name, unlessGiven));
    }

    private static String said(Throwable error) {
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }
}
