package trimtab.checks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import trimtab.Grant;
import trimtab.protocol.Assignment;
import trimtab.protocol.JsonReader;
import trimtab.protocol.JsonWriter;
import trimtab.protocol.Queue;
import trimtab.protocol.Release;
import trimtab.session.Action;
import trimtab.session.MemberSession;
import trimtab.session.MemberSession.Phase;
import trimtab.session.Profile;

/**
 * Plays the stories of {@code clients/vectors} with the session, and compares all that comes out.
 *
 * <p>{@code Vectors FILE...} prints a line for each story; it ends with 1 if one went otherwise.
 */
public final class Vectors {
    private final MemberSession session;

    private Vectors(Map<?, ?> story) {
        Map<?, ?> wishes = (Map<?, ?>) story.get("profile");
        List<String> topics = new ArrayList<>();
        ((List<?>) wishes.get("topics")).forEach(it -> topics.add((String) it));
        Profile profile =
                new Profile(
                        (String) wishes.get("group"),
                        (String) wishes.get("member"),
                        topics,
                        (Long) wishes.get("session_timeout_ms"),
                        (Long) wishes.get("revocation_timeout_ms"),
                        (String) wishes.get("instance"),
                        null);
        session = new MemberSession(profile, (String) story.get("incarnation"), 0);
    }

    public static void main(String[] files) throws IOException {
        int wrong = 0;
        for (String file : files) {
            Path path = Path.of(file);
            String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
            Map<?, ?> story = (Map<?, ?>) JsonReader.read(text);
            String difference = new Vectors(story).play((List<?>) story.get("steps"));
            wrong += difference == null ? 0 : 1;
            System.out.println(path.getFileName() + " " + (difference == null ? "ok" : difference));
        }
        System.exit(wrong == 0 ? 0 : 1);
    }

    /** Says where it went otherwise; null: nowhere. */
    private String play(List<?> steps) {
        for (Object it : steps) {
            Map<?, ?> step = (Map<?, ?>) it;
            Map<?, ?> in = (Map<?, ?>) step.get("in");
            Map.Entry<?, ?> only = in.entrySet().iterator().next();
            List<Action> actions = feed((String) only.getKey(), only.getValue(), (Long) step.get("at"));
            Map<String, Object> expected = new LinkedHashMap<>();
            expected.put("out", step.get("out"));
            expected.put("wake_at", step.get("wake_at"));
            Map<String, Object> actual = new LinkedHashMap<>();
            actual.put("out", shown(actions));
            actual.put("wake_at", session.phase() == Phase.ENDED ? null : session.wakeAt());
            if (step.containsKey("holds")) {
                expected.put("holds", step.get("holds"));
                actual.put("holds", JsonReader.read(session.holdings().line()));
            }
            if (!same(expected).equals(same(actual))) {
                return "differs at " + step.get("at") + ": expected " + JsonWriter.write(expected)
                        + ", was " + JsonWriter.write(actual);
            }
        }
        return null;
    }

    private List<Action> feed(String what, Object it, long now) {
        switch (what) {
            case "tick":
                return session.tick(now);
            case "acknowledged":
                return session.acknowledged((Long) it, now);
            case "failed":
                return session.failed((Long) it, now);
            case "caught_up":
                return session.caughtUp((Long) it, now);
            case "assignment":
                return session.receive(it == null ? null : Assignment.read(bytes(it)), now);
            case "release":
                return session.hear(Release.read(bytes(it)), now);
            case "finished":
                return session.finish(positions((List<?>) it), now);
            case "stop":
                Map<?, ?> stop = (Map<?, ?>) it;
                return session.stop(now, (Long) stop.get("timeout_ms"), (Boolean) stop.get("temporary"));
            default:
                throw new IllegalArgumentException("no story may say \"" + what + "\"");
        }
    }

    private static Map<Grant, Long> positions(List<?> rows) {
        Map<Grant, Long> positions = new LinkedHashMap<>();
        for (Object it : rows) {
            Map<?, ?> row = (Map<?, ?>) it;
            List<?> names = (List<?>) row.get("queue");
            int id = ((Long) names.get(2)).intValue();
            Queue queue = new Queue((String) names.get(0), (String) names.get(1), id);
            positions.put(new Grant(queue, (Long) row.get("token"), null, null), (Long) row.get("position"));
        }
        return positions;
    }

    private static List<Object> shown(List<Action> actions) {
        List<Object> shown = new ArrayList<>();
        for (Action action : actions) {
            Map<String, Object> line = shown(action);
            if (!line.isEmpty()) {
                shown.add(line);
            }
        }
        return shown;
    }

    private static Map<String, Object> shown(Action action) {
        Map<String, Object> line = new LinkedHashMap<>();
        if (action instanceof Action.Send) {
            Action.Send send = (Action.Send) action;
            line.put("send", send.ticket);
            line.put("topic", send.topic.suffix());
            line.put("key", send.key);
            line.put("record", JsonReader.read(send.record));
        } else if (action instanceof Action.FindEnd) {
            line.put("find_end", true);
        } else if (action instanceof Action.Assigned) {
            line.put("assigned", shownGrants(((Action.Assigned) action).grants, true));
        } else if (action instanceof Action.Revoked) {
            line.put("revoked", shownGrants(((Action.Revoked) action).grants, false));
        } else if (action instanceof Action.Lost) {
            line.put("lost", shownGrants(((Action.Lost) action).grants, false));
            line.put("reason", ((Action.Lost) action).reason.name().toLowerCase(Locale.ROOT));
        } else if (action instanceof Action.Ended) {
            line.put("ended", ((Action.Ended) action).ending.name().toLowerCase(Locale.ROOT));
        }
        return line;
    }

    private static List<Object> shownGrants(List<Grant> grants, boolean withPosition) {
        List<Object> rows = new ArrayList<>();
        for (Grant grant : grants) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("queue", List.of(grant.queue.topic, grant.queue.broker, (long) grant.queue.id));
            row.put("token", grant.token);
            row.put("position", withPosition ? grant.position : null);
            rows.add(row);
        }
        return rows;
    }

    /** A value without the fields that are null: they may be left out, but in a record null is refused. */
    private static Object same(Object value) {
        if (value instanceof Map) {
            Map<Object, Object> kept = new LinkedHashMap<>();
            ((Map<?, ?>) value).forEach((name, it) -> {
                if (it != null) {
                    kept.put(name, name.equals("record") ? it : same(it));
                }
            });
            return kept;
        }
        if (value instanceof Collection) {
            List<Object> items = new ArrayList<>();
            ((Collection<?>) value).forEach(it -> items.add(same(it)));
            return items;
        }
        return value;
    }

    private static byte[] bytes(Object value) {
        return JsonWriter.write(value).getBytes(StandardCharsets.UTF_8);
    }
}
