package trimtab.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads JSON into maps, lists, strings, longs, doubles, booleans and null.
 *
 * <p>Our own, because kafka-clients brings none, and a library would meet another version of itself
 * in the application. Whatever the text, it ends with a value or with {@link UndecodableRecord}.
 */
public final class JsonReader {
    /** Records nest five deep; a stranger's may not exhaust the stack. The readers in Python end there, too. */
    private static final int DEEPEST = 200;

    private static final Pattern HALF_A_CHARACTER = Pattern.compile("\\p{Cs}");

    /** Of a number, before its point: the readers in Python take no more. */
    private static final int MOST_DIGITS = 4_300;

    private static final Pattern NUMBER =
            Pattern.compile("-?(?<whole>0|[1-9][0-9]*)(?<part>\\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)?");

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    public static Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("text after the end");
        }
        return value;
    }

    private Object value(int depth) {
        if (depth > DEEPEST) {
            throw wrong("too deep");
        }
        skipSpace();
        char next = peek();
        switch (next) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            case 'N': // not JSON; but a reader that skips what all others read would know of another first release
                return word("NaN", Double.NaN);
            case 'I':
                return word("Infinity", Double.POSITIVE_INFINITY);
            default:
                return text.startsWith("-I", at) ? word("-Infinity", Double.NEGATIVE_INFINITY) : number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        if (isClosedBy('}')) {
            return fields;
        }
        while (true) {
            skipSpace();
            if (peek() != '"') {
                throw wrong("a name is missing");
            }
            String name = string();
            expect(':');
            fields.put(name, value(depth + 1)); // the last appearance counts, as in every common reader
            if (isClosedBy('}')) {
                return fields;
            }
            expect(',');
        }
    }

    private List<Object> array(int depth) {
        List<Object> items = new ArrayList<>();
        at++;
        if (isClosedBy(']')) {
            return items;
        }
        while (true) {
            items.add(value(depth + 1));
            if (isClosedBy(']')) {
                return items;
            }
            expect(',');
        }
    }

    private String string() {
        StringBuilder read = new StringBuilder();
        boolean isPlain = true;
        at++;
        for (char next = take(); next != '"'; next = take()) {
            if (next < ' ') {
                throw wrong("a control character in a string");
            }
            isPlain &= next != '\\';
            read.append(next == '\\' ? escaped() : next);
        }
        if (!isPlain && HALF_A_CHARACTER.matcher(read).find()) {
            throw wrong("half a character");
        }
        return read.toString();
    }

    private char escaped() {
        char sign = take();
        switch (sign) {
            case '"':
            case '\\':
            case '/':
                return sign;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return unit();
            default:
                throw wrong("an unknown escape");
        }
    }

    private char unit() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = "0123456789abcdef".indexOf(Character.toLowerCase(take()));
            if (digit < 0) {
                throw wrong("not four hexadecimal digits");
            }
            unit = unit * 16 + digit;
        }
        return (char) unit;
    }

    private Object number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        Matcher number = NUMBER.matcher(text).region(from, at);
        if (!number.matches()) {
            throw wrong("no value");
        }
        if (number.end("whole") - number.start("whole") > MOST_DIGITS) {
            throw wrong("a number of too many digits");
        }
        String digits = text.substring(from, at);
        boolean isWhole = number.group("part") == null;
        try {
            return isWhole ? (Object) Long.parseLong(digits) : (Object) Double.parseDouble(digits);
        } catch (NumberFormatException tooLarge) {
            return Double.parseDouble(digits); // in a field that nobody reads it does no harm
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("no value");
        }
        at += word.length();
        return value;
    }

    private boolean isClosedBy(char sign) {
        skipSpace();
        if (peek() != sign) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char sign) {
        skipSpace();
        if (take() != sign) {
            throw wrong("'" + sign + "' is missing");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at == text.length()) {
            throw wrong("it ends too early");
        }
        return text.charAt(at);
    }

    private char take() {
        char next = peek();
        at++;
        return next;
    }

    private UndecodableRecord wrong(String what) {
        return new UndecodableRecord("not JSON at character " + at + ": " + what);
    }
}
