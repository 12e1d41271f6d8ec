package trimtab.protocol;

import java.util.List;
import java.util.Map;

/** Takes the fields of a JSON object, each by its type; what is unknown is left alone. */
final class Fields {
    private final Map<?, ?> fields;

    private Fields(Map<?, ?> fields) {
        this.fields = fields;
    }

    static Fields of(Object value) {
        return new Fields(as(Map.class, value, "an object"));
    }

    /** Reads a record, and its version and kind before all else. */
    static Fields of(String text, String kind) {
        Fields record = of(JsonReader.read(text));
        if (!Long.valueOf(1).equals(record.fields.get("v"))) {
            throw new UndecodableRecord("v: this reader knows version 1 only");
        }
        if (!kind.equals(record.fields.get("kind"))) {
            throw new UndecodableRecord("kind: not \"" + kind + "\"");
        }
        return record;
    }

    Object value(String name) {
        return fields.get(name);
    }

    String text(String name) {
        return as(String.class, fields.get(name), name);
    }

    String textOr(String name, String otherwise) {
        return fields.get(name) == null ? otherwise : text(name);
    }

    /** A name of a group, a member, a topic. */
    String name(String name) {
        return nameOf(fields.get(name), name);
    }

    String incarnation(String name) {
        return incarnationOf(fields.get(name), name);
    }

    long number(String name, long least, long most) {
        return numberOf(fields.get(name), least, most, name);
    }

    boolean isSet(String name) {
        return fields.get(name) != null && as(Boolean.class, fields.get(name), name);
    }

    Fields object(String name) {
        return of(fields.get(name));
    }

    List<?> list(String name) {
        return as(List.class, fields.get(name), name);
    }

    List<?> listOrNone(String name) {
        return fields.get(name) == null ? List.of() : list(name);
    }

    static String nameOf(Object value, String what) {
        String text = as(String.class, value, what);
        if (!Limits.isName(text)) {
            throw new UndecodableRecord(what + ": no name");
        }
        return text;
    }

    static String incarnationOf(Object value, String what) {
        String text = as(String.class, value, what);
        if (!Limits.isIncarnation(text)) {
            throw new UndecodableRecord(what + ": no incarnation");
        }
        return text;
    }

    static long numberOf(Object value, long least, long most, String what) {
        long number = as(Long.class, value, what);
        if (number < least || number > most) {
            throw new UndecodableRecord(what + ": out of range");
        }
        return number;
    }

    static <T> T as(Class<T> type, Object value, String what) {
        if (!type.isInstance(value)) {
            throw new UndecodableRecord(what + ": missing, or of another type");
        }
        return type.cast(value);
    }
}
