package trimtab.protocol;

import java.util.Locale;
import java.util.Map;

/** Writes what {@link JsonReader} reads: compact, fields in the order of the map, null ones left out. */
public final class JsonWriter {
    private final StringBuilder written = new StringBuilder();

    private JsonWriter() {}

    public static String write(Object value) {
        JsonWriter writer = new JsonWriter();
        writer.value(value);
        return writer.written.toString();
    }

    private void value(Object value) {
        if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            array((Iterable<?>) value);
        } else if (value instanceof CharSequence) {
            string(value.toString());
        } else {
            written.append(value); // a number, a boolean or null: Java writes them as JSON does
        }
    }

    private void object(Map<?, ?> fields) {
        String between = "{";
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            if (field.getValue() != null) {
                written.append(between);
                string((String) field.getKey());
                written.append(':');
                value(field.getValue());
                between = ",";
            }
        }
        written.append("{".equals(between) ? "{}" : "}");
    }

    private void array(Iterable<?> items) {
        String between = "";
        written.append('[');
        for (Object item : items) {
            written.append(between);
            value(item);
            between = ",";
        }
        written.append(']');
    }

    private void string(String text) {
        written.append('"');
        for (char next : text.toCharArray()) {
            if (next == '"' || next == '\\') {
                written.append('\\').append(next);
            } else if (next < ' ' || Character.isSurrogate(next)) {
                written.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
            } else {
                written.append(next);
            }
        }
        written.append('"');
    }
}
