package trimtab.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The key of a record about two names: a group and its member, or a cluster and its broker.
 *
 * <p>The first "/" is the border. In front of it "/" is written "%2F", and "%" is "%25".
 */
public final class PairKey {
    public final String first;
    public final String second;

    private PairKey(String first, String second) {
        this.first = first;
        this.second = second;
    }

    public static PairKey of(String first, String second) {
        return new PairKey(first, second);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PairKey
                && first.equals(((PairKey) other).first)
                && second.equals(((PairKey) other).second);
    }

    @Override
    public int hashCode() {
        return Objects.hash(first, second);
    }

    public static PairKey read(byte[] key) {
        String text = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        int border = text.indexOf('/');
        if (border < 0) {
            throw new UndecodableRecord("a key without two names");
        }
        String first = text.substring(0, border).replace("%2F", "/").replace("%25", "%");
        return new PairKey(first, text.substring(border + 1));
    }
}
