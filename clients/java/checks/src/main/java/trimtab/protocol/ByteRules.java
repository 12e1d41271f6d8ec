package trimtab.protocol;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Says whether records are read, whatever their bytes, for tests of it.
 *
 * <p>A line is {@code KIND RECORD}, the record in base64.
 */
public final class ByteRules {
    private ByteRules() {}

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] asked = line.split(" ", 2);
            System.out.println(answer(asked[0], Base64.getDecoder().decode(asked[1])));
        }
    }

    private static String answer(String kind, byte[] record) {
        try {
            switch (kind) {
                case "assignment":
                    Assignment.read(record);
                    return "read";
                case "release":
                    Release.read(record);
                    return "read";
                case "verdict":
                    Verdict.read(record);
                    return "read";
                default:
                    throw new IllegalArgumentException(kind);
            }
        } catch (UndecodableRecord e) {
            return "skipped";
        }
    }
}
