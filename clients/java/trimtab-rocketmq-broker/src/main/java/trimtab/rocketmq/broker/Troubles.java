package trimtab.rocketmq.broker;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.common.constant.LoggerName;
import org.apache.rocketmq.logging.org.slf4j.Logger;
import org.apache.rocketmq.logging.org.slf4j.LoggerFactory;

/** What went wrong, in the broker's own log, each kind of it once in a while. */
final class Troubles {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerName.BROKER_LOGGER_NAME);
    /** The same kind of trouble again is told once in this time. */
    private static final long AGAIN_NS = 60_000_000_000L;

    private final Map<String, Long> told = new ConcurrentHashMap<>();

    /** Tells of trouble of a kind; there are few kinds. */
    void tell(String kind, String detail) {
        long now = System.nanoTime();
        Long before = told.get(kind);
        if (before == null || now - before >= AGAIN_NS) {
            told.put(kind, now);
            LOG.warn("trimtab: {}: {}", kind, detail);
        }
    }

    /** Tells what an operator may want to know; it happens seldom. */
    void note(String what) {
        LOG.info("trimtab: {}", what);
    }
}
