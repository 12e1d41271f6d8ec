package trimtab.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
    static Fields of(byte[] value, String kind) {
        Fields record = of(JsonReader.read(text(value)));
        if (!Long.valueOf(1).equals(record.fields.get("v"))) {
            throw new UndecodableRecord("v: this reader knows version 1 only");
        }
        if (!kind.equals(record.fields.get("kind"))) {
            throw new UndecodableRecord("kind: not \"" + kind + "\"");
        }
        return record;
    }

    private static String text(byte[] value) {
        if (value.length > Limits.RECORD_BYTES) {
            throw new UndecodableRecord(value.length + " bytes, more than " + Limits.RECORD_BYTES);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
        } catch (CharacterCodingException e) {
            throw new UndecodableRecord("not UTF-8");
        }
    }

    Object value(String name) {
        return fields.get(name);
    }

    String text(String name) {
        return as(String.class, fields.get(name), name);
    }

    /** One that may be left out; null is not that. */
    String textOr(String name, String otherwise) {
        return fields.containsKey(name) ? text(name) : otherwise;
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

    /** Says whether it is there; it says true or nothing. */
    boolean isSet(String name) {
        Object said = fields.get(name);
        if (said != null && !Boolean.TRUE.equals(said)) {
            throw new UndecodableRecord(name + ": not true");
        }
        return said != null;
    }

    Fields object(String name) {
        return of(fields.get(name));
    }

    List<?> list(String name) {
        List<?> listed = as(List.class, fields.get(name), name);
        if (listed.size() > Limits.QUEUES_PER_RECORD) {
            throw new UndecodableRecord(name + ": too many");
        }
        return listed;
    }

    /** One that may be left out; null is not that. */
    List<?> listOrNone(String name) {
        return fields.containsKey(name) ? list(name) : List.of();
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
