package trimtab.guard;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/**
 * The options of kafka-clients, in the words of librdkafka, which is the guard's client.
 *
 * <p>Only those count that say how to reach Kafka, and who comes. One of these that cannot be said is refused by
 * its name: a guard that Kafka does not let in would be none, and nobody would know.
 */
final class Translation {
    /** Of those that say how to reach Kafka: what can be said. */
    private static final Set<String> KNOWN = Set.of(
            "security.protocol",
            "sasl.mechanism",
            "sasl.jaas.config",
            "ssl.truststore.type",
            "ssl.truststore.location",
            "ssl.truststore.certificates",
            "ssl.endpoint.identification.algorithm");
    private static final Set<String> LOGIN = Set.of("username", "password");
    private static final String STORE = "javax.net.ssl.trustStore";

    private final Map<String, Object> kafka;
    private final boolean isEncrypted;
    private final boolean isNamed;

    Translation(Map<String, Object> kafka) {
        this.kafka = kafka;
        String protocol = protocol();
        this.isEncrypted = protocol.endsWith("SSL");
        this.isNamed = protocol.startsWith("SASL");
    }

    /** What librdkafka is to be told; nothing, if all is as by default. */
    Map<String, Object> options() throws Unguarded {
        for (String option : new TreeSet<>(kafka.keySet())) {
            if (isOfTheWay(option) && !KNOWN.contains(option) && kafka.get(option) != null) {
                throw untold(option);
            }
        }
        Map<String, Object> options = new LinkedHashMap<>();
        if (isEncrypted || isNamed) {
            options.put("security.protocol", protocol());
        }
        if (isNamed) {
            login(options);
        }
        if (isEncrypted) {
            trust(options);
        }
        return options;
    }

    /** Whether an option says how to reach Kafka. */
    private boolean isOfTheWay(String option) {
        return option.startsWith("ssl.") && isEncrypted
                || option.startsWith("sasl.") && isNamed
                || option.startsWith("security.")
                || option.equals("bootstrap.servers")
                || option.equals("config.providers");
    }

    /** A name and a password, as Kafka's own modules are told. */
    private void login(Map<String, Object> options) throws Unguarded {
        String mechanism = text("sasl.mechanism", "GSSAPI");
        if (!mechanism.equals("PLAIN") && !mechanism.startsWith("SCRAM-")) {
            throw untold("sasl.mechanism (" + mechanism + ")");
        }
        String module = mechanism.equals("PLAIN") ? "PlainLoginModule" : "ScramLoginModule";
        AppConfigurationEntry entry = jaas();
        if (!entry.getLoginModuleName().endsWith("." + module) || !entry.getOptions().keySet().equals(LOGIN)) {
            throw untold("sasl.jaas.config");
        }
        options.put("sasl.mechanism", mechanism);
        options.put("sasl.username", entry.getOptions().get("username"));
        options.put("sasl.password", entry.getOptions().get("password"));
    }

    /** As Kafka's client reads it: out of its option, or of the file that all of this process use. */
    private AppConfigurationEntry jaas() throws Unguarded {
        String given = text("sasl.jaas.config", null);
        Map<String, Object> configs = given == null ? Map.of() : Map.of("sasl.jaas.config", new Password(given));
        try {
            return JaasContext.loadClientContext(configs).configurationEntries().get(0);
        } catch (IllegalArgumentException | KafkaException | SecurityException e) {
            throw untold("sasl.jaas.config"); // the member's own client says what is wrong with it
        }
    }

    private void trust(Map<String, Object> options) throws Unguarded {
        String place = text("ssl.truststore.location", null);
        String certificates = text("ssl.truststore.certificates", null);
        String type = text("ssl.truststore.type", "JKS");
        if (place == null && certificates == null && System.getProperty(STORE) != null) {
            throw untold(STORE);
        } else if ((place != null || certificates != null) && !type.equals("PEM")) {
            throw untold("ssl.truststore.location (its type is " + type + ", not PEM)");
        } else if (place != null) {
            options.put("ssl.ca.location", Path.of(place).toAbsolutePath().toString());
        } else if (certificates != null) {
            options.put("ssl.ca.pem", certificates);
        }
        if (text("ssl.endpoint.identification.algorithm", "https").isEmpty()) {
            options.put("ssl.endpoint.identification.algorithm", "none");
        }
    }

    private String protocol() {
        return text("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT);
    }

    private String text(String option, String unlessGiven) {
        Object value = kafka.get(option);
        return value == null ? unlessGiven : text(value);
    }

    /** A password is hidden from whoever asks for its text. */
    static String text(Object value) {
        return value instanceof Password ? ((Password) value).value() : String.valueOf(value);
    }

    private static Unguarded untold(String option) {
        return new Unguarded("no guard: its client, librdkafka, cannot be told " + option
                + "; give all that it needs to reach Kafka by guardKafka(option, value)");
    }
}
