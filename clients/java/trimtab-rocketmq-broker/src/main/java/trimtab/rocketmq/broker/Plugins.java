package trimtab.rocketmq.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The plug-ins that are on a broker's class path: of each kind it reads only the first file that names some.
 *
 * <p>So one of ours takes the place of yours, or yours that of ours, as the files of a folder happen to stand.
 */
final class Plugins {
    private Plugins() {}

    /** Those of a kind that the broker does not load, because another file stands before theirs. */
    static Set<String> unread(Class<?> kind) {
        Set<String> unread = new LinkedHashSet<>();
        List<List<String>> files = files(kind);
        files.forEach(unread::addAll);
        unread.removeAll(files.isEmpty() ? Set.of() : Set.copyOf(files.get(0)));
        return unread;
    }

    /** The names in each file, in the order of the class path; as the broker does, up to an empty line. */
    static List<List<String>> files(Class<?> kind) {
        List<List<String>> files = new ArrayList<>();
        try {
            for (URL file : Collections.list(loader().getResources("META-INF/service/" + kind.getName()))) {
                files.add(names(file));
            }
        } catch (IOException e) {
            throw new IllegalStateException("the plug-ins of the broker cannot be read", e);
        }
        return files;
    }

    /** Makes one; a broker does not begin without a plug-in that was asked for. */
    static <T> T make(Class<T> kind, String name) {
        try {
            return kind.cast(loader().loadClass(name).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalStateException("the plug-in " + name + " cannot be loaded", e);
        }
    }

    private static ClassLoader loader() {
        return Thread.currentThread().getContextClassLoader();
    }

    private static List<String> names(URL file) throws IOException {
        List<String> names = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(file.openStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
                names.add(line);
            }
        }
        return names;
    }
}
