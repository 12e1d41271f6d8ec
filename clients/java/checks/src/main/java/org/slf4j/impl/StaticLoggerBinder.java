package org.slf4j.impl;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.spi.LoggerFactoryBinder;

/**
 * Has a program that sets {@code trimtab.checks.log} say on stderr what trimtab logs, from warnings on.
 *
 * <p>slf4j 1.7 finds it by its name. Other loggers say nothing, and so does each of a program that is asked line by line.
 */
public final class StaticLoggerBinder implements LoggerFactoryBinder {
    private static final StaticLoggerBinder SINGLETON = new StaticLoggerBinder();

    private StaticLoggerBinder() {}

    public static StaticLoggerBinder getSingleton() {
        return SINGLETON;
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> Boolean.getBoolean("trimtab.checks.log") && name.equals("trimtab") ? loud() : NOPLogger.NOP_LOGGER;
    }

    @Override
    public String getLoggerFactoryClassStr() {
        return ILoggerFactory.class.getName();
    }

    private static Logger loud() {
        return (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    String level = method.getName();
                    if (level.equals("warn") || level.equals("error")) {
                        System.err.println("log " + level + " " + line(arguments));
                    }
                    return method.getReturnType() == boolean.class ? Boolean.FALSE : null;
                });
    }

    private static String line(Object[] said) {
        Object[] details = said.length == 2 && said[1] instanceof Object[]
                ? (Object[]) said[1]
                : Arrays.copyOfRange(said, 1, said.length);
        FormattingTuple made = MessageFormatter.arrayFormat(String.valueOf(said[0]), details);
        return made.getMessage() + (made.getThrowable() == null ? "" : ": " + made.getThrowable());
    }
}
