package io.k8sdns.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;

/**
 * Formats the lines of the log on stderr, as text or JSON. Public because {@link LogManager} creates it.
 *
 * <p>The JDK's logging is configured by {@link Configuration}, at the first line of the log and not at the start, which it would delay
 * by some 20 ms.
 */
public final class LogLines extends Formatter {
    private static final String CONFIGURATION_CLASS = "java.util.logging.config.class";

    /** System properties, because the JDK creates this class without arguments. */
    private static final String LEVEL = "k8sdns.log.level";

    private static final String FORMAT = "k8sdns.log.format";
    private static final String TRACES = "k8sdns.log.traces";

    private final Settings settings;

    /** The levels, from the fewest lines to all lines. */
    enum Level {
        OFF("OFF"),
        ERROR("SEVERE"),
        WARN("WARNING"),
        INFO("INFO"),
        DEBUG("FINE"),
        TRACE("FINEST");

        private final String nameInTheJdk;

        Level(String nameInTheJdk) {
            this.nameInTheJdk = nameInTheJdk;
        }

        /** Returns the level of the JDK's logging. */
        java.util.logging.Level ofTheJdk() {
            return java.util.logging.Level.parse(nameInTheJdk);
        }

        /** Returns the value of {@code --log-level}. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Level of(java.util.logging.Level level) {
            for (Level one : values()) {
                if (level.intValue() >= one.ofTheJdk().intValue() && one != OFF) {
                    return one;
                }
            }
            return TRACE;
        }
    }

    /** The formats. */
    enum Format {
        TEXT,
        JSON;

        /** Returns the value of {@code --log-format}. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The settings of the log.
     *
     * @param level the lowest level that is logged
     * @param format the format of a line
     * @param traces whether stack traces are printed
     */
    record Settings(Level level, Format format, boolean traces) {
        private static Settings ofSystemProperties() {
            return new Settings(
                    Level.valueOf(System.getProperty(LEVEL, Level.INFO.name())),
                    Format.valueOf(System.getProperty(FORMAT, Format.TEXT.name())),
                    Boolean.getBoolean(TRACES));
        }
    }

    /** Creates a formatter with the settings of the program's options. */
    public LogLines() {
        this(Settings.ofSystemProperties());
    }

    LogLines(Settings settings) {
        this.settings = settings;
    }

    /** Lets the JDK's logging use this class, unless the user has configured the logging. */
    static void install() {
        if (System.getProperty(CONFIGURATION_CLASS) == null
                && System.getProperty("java.util.logging.config.file") == null
                && System.getProperty("java.util.logging.SimpleFormatter.format") == null) {
            System.setProperty(CONFIGURATION_CLASS, Configuration.class.getName());
        }
    }

    /** Sets the settings for the first line and all later ones, if the JDK's logging uses this class. */
    static void use(Settings value) {
        if (Configuration.class.getName().equals(System.getProperty(CONFIGURATION_CLASS))) {
            System.setProperty(LEVEL, value.level().name());
            System.setProperty(FORMAT, value.format().name());
            System.setProperty(TRACES, Boolean.toString(value.traces()));
        }
    }

    @Override
    public String format(LogRecord line) {
        String text = formatMessage(line);
        Throwable thrown = line.getThrown();
        // Most messages quote their exception.
        if (thrown != null && !text.contains(String.valueOf(thrown.getMessage()))) {
            text += ": " + thrown;
        }
        if (settings.format() == Format.JSON) {
            Optional<String> trace =
                    thrown != null && settings.traces() ? Optional.of(trace(thrown)) : Optional.empty();
            return json(line.getInstant(), Level.of(line.getLevel()), line.getLoggerName(), text, trace)
                    + System.lineSeparator();
        }
        return Level.of(line.getLevel()).word() + ": " + text + System.lineSeparator()
                + (thrown != null && settings.traces() ? trace(thrown) : "");
    }

    /** Returns one line of the log as JSON, without the end of the line. */
    static String json(Instant time, Level level, String logger, String message, Optional<String> trace) {
        OutputObject object = new OutputObject()
                .put("time", time.toString())
                .put("level", level.word())
                .put("logger", logger)
                .put("message", message);
        trace.ifPresent(text -> object.put("trace", text));
        return JsonText.of(object);
    }

    /** Returns a stack trace, as the JDK prints it. */
    static String trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    /** Configures the JDK's logging when it is used first. Public because {@link LogManager} creates it. */
    public static final class Configuration {
        /** Configures the logging. */
        public Configuration() throws IOException {
            LogManager.getLogManager()
                    .readConfiguration(new ByteArrayInputStream(
                            properties(Settings.ofSystemProperties().level()).getBytes(StandardCharsets.ISO_8859_1)));
        }

        /**
         * Returns the configuration. Libraries never log more than at level info; dnsjava does not log, because it logs details of
         * the machine's configuration, which the command does not use.
         */
        static String properties(Level level) {
            java.util.logging.Level own = level.ofTheJdk();
            java.util.logging.Level others =
                    own.intValue() < java.util.logging.Level.INFO.intValue() ? java.util.logging.Level.INFO : own;
            return String.join(
                    "\n",
                    "handlers=java.util.logging.ConsoleHandler",
                    "java.util.logging.ConsoleHandler.level=ALL",
                    "java.util.logging.ConsoleHandler.formatter=" + LogLines.class.getName(),
                    ".level=" + others.getName(),
                    "io.k8sdns.level=" + own.getName(),
                    "org.xbill.DNS.level=OFF",
                    "");
        }
    }
}
