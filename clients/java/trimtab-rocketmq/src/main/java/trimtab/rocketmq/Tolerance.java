package trimtab.rocketmq;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;
import org.apache.rocketmq.client.latency.LatencyFaultTolerance;
import org.apache.rocketmq.client.latency.MQFaultStrategy;

/**
 * Lays the controller's verdicts over the table by which RocketMQ's client avoids brokers.
 *
 * <p>The client asks its table whether a broker is available; here it is asked first whether a verdict
 * stands against it. The table is another interface in 4.9 than in 5, so one object answers for both, by
 * the methods' names. Its one rule: a verdict only excludes, and what the table says still counts.
 */
final class Tolerance implements InvocationHandler {
    private final LatencyFaultTolerance<?> table;
    private final MQFaultStrategy strategy;
    private final Verdicts verdicts;
    /** What the application has chosen: whether the client avoids brokers by its own table. */
    private final boolean own;
    /** Whether selection by itself leaves out the broker that has just failed: from 5 on. */
    private final boolean leavesLastOut;
    /** Those of which 4.9 was told that they are not available, in its turn: all of the topic. */
    private final ThreadLocal<Set<String>> passedOver = ThreadLocal.withInitial(LinkedHashSet::new);

    private Tolerance(MQFaultStrategy strategy, LatencyFaultTolerance<?> table, Verdicts verdicts) {
        this.strategy = strategy;
        this.table = table;
        this.verdicts = verdicts;
        this.own = strategy.isSendLatencyFaultEnable();
        boolean is5 = false;
        for (Method method : LatencyFaultTolerance.class.getMethods()) {
            is5 |= "isReachable".equals(method.getName());
        }
        this.leavesLastOut = is5;
    }

    /** Puts itself before a producer's table. */
    static Tolerance before(DefaultMQProducerImpl producer, Verdicts verdicts) {
        try {
            MQFaultStrategy strategy =
                    (MQFaultStrategy) field(DefaultMQProducerImpl.class, "mqFaultStrategy").get(producer);
            Field place = field(MQFaultStrategy.class, "latencyFaultTolerance");
            Object table = place.get(strategy);
            if (Proxy.isProxyClass(table.getClass()) && Proxy.getInvocationHandler(table) instanceof Tolerance) {
                throw new IllegalStateException("TrimtabProducer.attach: the producer is attached already");
            }
            Tolerance tolerance = new Tolerance(strategy, (LatencyFaultTolerance<?>) table, verdicts);
            Class<?> asked = LatencyFaultTolerance.class;
            place.set(strategy, Proxy.newProxyInstance(asked.getClassLoader(), new Class<?>[] {asked}, tolerance));
            return tolerance;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "TrimtabProducer.attach: this client of RocketMQ is neither 4.9 nor 5", e);
        }
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Has the client ask us while a verdict stands, whatever the application has chosen. */
    void look() {
        boolean shall = own || verdicts.avoidAny();
        if (strategy.isSendLatencyFaultEnable() != shall) {
            strategy.setSendLatencyFaultEnable(shall);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String broker = arguments != null && arguments.length > 0 && arguments[0] instanceof String
                ? (String) arguments[0]
                : null;
        switch (method.getName()) {
            case "isAvailable":
                boolean fit = verdicts.avoid(broker)
                        ? verdicts.haveToTry(broker)
                        : (boolean) ask(method, arguments);
                note(broker, fit);
                return fit;
            case "isReachable":
                return !verdicts.avoid(broker) && (boolean) ask(method, arguments);
            case "updateFaultItem":
                // In 4.9 only the table keeps a retry away from the broker that has just failed.
                return own || !leavesLastOut ? ask(method, arguments) : null;
            case "pickOneAtLeast":
                return leastBad((String) ask(method, arguments));
            case "remove":
                return broker == null ? null : ask(method, arguments); // 4.9 asks it to remove nobody
            default:
                return ask(method, arguments);
        }
    }

    private void note(String broker, boolean isFit) {
        if (isFit) {
            passedOver.get().clear(); // it is the one
        } else if (!leavesLastOut) {
            passedOver.get().add(broker);
        }
    }

    /**
     * 4.9's last resort: one that is only slow comes before one that a verdict has taken out. The table may
     * name one of another topic, and then the client would go round all of this one.
     */
    private String leastBad(String chosen) {
        List<String> brokers = new ArrayList<>(passedOver.get());
        passedOver.get().clear();
        if (brokers.stream().noneMatch(verdicts::avoid)) {
            return chosen;
        }
        brokers.removeIf(verdicts::avoid);
        return brokers.isEmpty() || brokers.contains(chosen) ? chosen : brokers.get(0);
    }

    private Object ask(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(table, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
