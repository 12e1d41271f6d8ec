package trimtab.rocketmq;

import java.lang.reflect.Field;

/**
 * What RocketMQ's polled consumers have inside and give nobody.
 *
 * <p>The fields have the same names in 4.9.8 and 5.3.3. A client that has none of the name is refused when it is
 * attached, and not later, on a thread of the client's.
 */
final class Fields {
    private Fields() {}

    static Object get(Object owner, String name) {
        try {
            return open(owner, name).get(owner);
        } catch (IllegalAccessException e) {
            throw unknown(owner, name, e);
        }
    }

    static void set(Object owner, String name, Object value) {
        try {
            open(owner, name).set(owner, value);
        } catch (IllegalAccessException e) {
            throw unknown(owner, name, e);
        }
    }

    /** Where a class declares it: the application's consumer may be of one that extends RocketMQ's. */
    private static Field open(Object owner, String name) {
        for (Class<?> it = owner.getClass(); it != null; it = it.getSuperclass()) {
            for (Field found : it.getDeclaredFields()) {
                if (found.getName().equals(name)) {
                    found.setAccessible(true);
                    return found;
                }
            }
        }
        throw unknown(owner, name, null);
    }

    private static IllegalStateException unknown(Object owner, String name, Exception cause) {
        return new IllegalStateException("Trimtab.attach: this release of RocketMQ's client is not known: "
                + owner.getClass().getSimpleName() + " has no field " + name + " that can be used", cause);
    }
}
