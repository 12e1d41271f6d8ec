package trimtab.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a member holds, as its guard is told.
 *
 * <p>One life, and its grants that are worked on or not known to be released, each with who comes next. Whoever
 * knows that the process is dead may release them, and nobody else.
 */
public final class Holdings {
    private final Life life;
    private final List<HolderRow> rows;

    public Holdings(Life life, List<HolderRow> rows) {
        this.life = life;
        this.rows = rows;
    }

    /** What is said to the guard, as JSON. */
    public String line() {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("kind", "hold");
        said.put("member", life.member);
        said.put("incarnation", life.incarnation);
        said.put("queues", Shelves.ofHoldings(rows));
        return JsonWriter.write(said);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Holdings
                && life.equals(((Holdings) other).life)
                && rows.equals(((Holdings) other).rows);
    }

    @Override
    public int hashCode() {
        return Objects.hash(life, rows);
    }
}
