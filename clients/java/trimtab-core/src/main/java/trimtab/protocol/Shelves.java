package trimtab.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How rows that name queues stand on the wire: those of one topic and broker together, without the two.
 *
 * <p>{@code {"topic": "orders", "queues": [[0, 3]]}}. Lives stand in a list of their own, and a row
 * gives the number in that list.
 */
final class Shelves {
    private Shelves() {}

    /** Reads `hold` or `give`: id, epoch, next, and the number of its life. */
    static List<HolderRow> holders(Fields said) {
        List<Life> takers = lives(said.listOrNone("to"));
        List<HolderRow> rows = new ArrayList<>();
        for (Row row : rows(said, 3, 4)) {
            rows.add(new HolderRow(row.queue, row.epoch(1), row.next(2, takers)));
        }
        return rows;
    }

    /** Reads `inherit`: id, epoch, the number of the present owner, and its epoch. */
    static List<HeirRow> heirs(Fields said) {
        List<Life> givers = lives(said.list("from"));
        List<HeirRow> rows = new ArrayList<>();
        for (Row row : rows(said, 4, 4)) {
            GrantRef from = new GrantRef(row.life(2, givers), row.epoch(3));
            rows.add(new HeirRow(row.queue, row.epoch(1), from));
        }
        return rows;
    }

    /** Reads what a release names: id, epoch, position, next, and the number of its life. */
    static List<ReleaseRow> releases(Fields said) {
        List<Life> takers = lives(said.listOrNone("to"));
        List<ReleaseRow> rows = new ArrayList<>();
        for (Row row : rows(said, 4, 5)) {
            Long position = row.cell(2) == null ? null : (Long) row.number(2, 0, Long.MAX_VALUE);
            rows.add(new ReleaseRow(row.queue, row.epoch(1), position, row.next(3, takers)));
        }
        return rows;
    }

    /** Writes what a release names. */
    static Map<String, Object> ofReleases(Collection<ReleaseRow> rows) {
        List<Life> takers = new ArrayList<>();
        List<Cells> said = new ArrayList<>();
        for (ReleaseRow row : rows) {
            said.add(new Cells(row.queue, row.epoch, row.position).naming(row.next, takers));
        }
        return withTakers(takers, said);
    }

    /** Writes what is held. A queue may be named twice: its last grant's release may be on its way. */
    static Map<String, Object> ofHoldings(Collection<HolderRow> rows) {
        List<Life> takers = new ArrayList<>();
        List<Cells> said = new ArrayList<>();
        rows.forEach(row -> said.add(new Cells(row.queue, row.epoch).naming(row.next, takers)));
        return withTakers(takers, said);
    }

    /** Writes what a member owns. */
    static List<Map<String, Object>> ofOwned(Map<Queue, Long> owned) {
        List<Cells> said = new ArrayList<>();
        owned.forEach((queue, epoch) -> said.add(new Cells(queue, epoch)));
        return filled(said);
    }

    private static Map<String, Object> withTakers(List<Life> takers, List<Cells> said) {
        List<List<String>> to = new ArrayList<>();
        takers.forEach(it -> to.add(List.of(it.member, it.incarnation)));
        Map<String, Object> written = new LinkedHashMap<>();
        written.put("to", to.isEmpty() ? null : to);
        written.put("queues", filled(said));
        return written;
    }

    private static List<Map<String, Object>> filled(List<Cells> said) {
        Map<List<String>, List<List<Object>>> shelves = new LinkedHashMap<>();
        said.forEach(
                row -> shelves.computeIfAbsent(List.of(row.queue.topic, row.queue.broker), it -> new ArrayList<>())
                        .add(row.cells));
        List<Map<String, Object>> written = new ArrayList<>();
        shelves.forEach(
                (names, rows) -> {
                    Map<String, Object> shelf = new LinkedHashMap<>();
                    shelf.put("topic", names.get(0));
                    shelf.put("broker", names.get(1).isEmpty() ? null : names.get(1));
                    shelf.put("queues", rows);
                    written.add(shelf);
                });
        return written;
    }

    /** The rows of all shelves, each with as many cells as its kind has. */
    private static List<Row> rows(Fields said, int least, int most) {
        List<Row> rows = new ArrayList<>();
        Set<Queue> named = new HashSet<>();
        for (Object it : said.list("queues")) {
            Fields shelf = Fields.of(it);
            String topic = shelf.name("topic");
            String broker = shelf.textOr("broker", "");
            if (!Limits.isNameOrEmpty(broker)) {
                throw new UndecodableRecord("broker: no name");
            }
            for (Object cells : shelf.list("queues")) {
                Row row = new Row(topic, broker, Fields.as(List.class, cells, "a row"));
                if (row.cells.size() < least || row.cells.size() > most) {
                    throw new UndecodableRecord("a row: too short, or too long");
                }
                if (!named.add(row.queue)) {
                    throw new UndecodableRecord("a queue is named twice");
                }
                rows.add(row);
            }
        }
        if (rows.size() > Limits.QUEUES_PER_RECORD) {
            throw new UndecodableRecord("too many queues");
        }
        return rows;
    }

    private static List<Life> lives(List<?> listed) {
        List<Life> lives = new ArrayList<>();
        for (Object it : listed) {
            List<?> names = Fields.as(List.class, it, "a life");
            if (names.size() != 2) {
                throw new UndecodableRecord("a life: not a member and an incarnation");
            }
            lives.add(new Life(
                    Fields.nameOf(names.get(0), "a member"),
                    Fields.incarnationOf(names.get(1), "an incarnation")));
        }
        return lives;
    }

    /** What is written of one queue. */
    private static final class Cells {
        final Queue queue;
        final List<Object> cells = new ArrayList<>();

        Cells(Queue queue, Object... said) {
            this.queue = queue;
            cells.add(queue.id);
            cells.addAll(Arrays.asList(said));
        }

        /** With who comes next: the epoch, and the number of its life, if that is to be said. */
        Cells naming(Next next, List<Life> takers) {
            cells.add(next == null ? null : next.epoch);
            if (next != null && next.life != null) {
                if (!takers.contains(next.life)) {
                    takers.add(next.life);
                }
                cells.add(takers.indexOf(next.life));
            }
            return this;
        }
    }

    /** The cells of one queue, as read. */
    private static final class Row {
        final Queue queue;
        private final List<?> cells;

        Row(String topic, String broker, List<?> cells) {
            this.cells = cells;
            this.queue = new Queue(topic, broker, (int) number(0, -1, Integer.MAX_VALUE));
        }

        /** A last cell may be left out. */
        Object cell(int place) {
            return place < cells.size() ? cells.get(place) : null;
        }

        long number(int place, long least, long most) {
            return Fields.numberOf(cell(place), least, most, "a cell of a row");
        }

        long epoch(int place) {
            return number(place, 0, Limits.SAFE_INTEGER);
        }

        Life life(int place, List<Life> lives) {
            return lives.get((int) number(place, 0, lives.size() - 1L));
        }

        Next next(int place, List<Life> lives) {
            if (cell(place) == null) {
                return null;
            }
            return new Next(epoch(place), cell(place + 1) == null ? null : life(place + 1, lives));
        }
    }
}
