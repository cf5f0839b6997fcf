package io.k8sdns.manifest;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.ClusterSearches;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the host names in a text. A word of letters, digits, dots, dashes and underscores is a host name
 *
 * <ul>
 *   <li>in a URL: {@code http://user@cart:8080/},
 *   <li>before a port: {@code cart:8080},
 *   <li>after a word such as host, server or address: {@code db-host=db}, {@code DB_HOST}, {@code "host": "db"},
 *   <li>in a list after a host name: {@code kafka-0.kafka:9092,kafka-1.kafka:9092},
 *   <li>after the name of a replica set: {@code rs0/db-0.db:27017,db-1.db:27017},
 *   <li>in a connection of Bash: {@code /dev/tcp/db/5432},
 *   <li>with the label {@code svc} after at least two others,
 *   <li>after {@code nslookup} at the beginning of a shell command,
 *   <li>if the caller knows it, and it has a dot, is the whole text, or follows a program such as {@code nc} or {@code ping}.
 * </ul>
 *
 * <p>If the value of a host has several words, only those with a dot and those that the caller knows are names. IP addresses,
 * {@code localhost}, schemes before another one ({@code jdbc:postgresql://db}), images of containers ({@code postgres:16}), users
 * ({@code user:1000}), those of mail addresses, buckets ({@code s3://backups}), paths, versions, times, addresses on which a program
 * listens, words before a reference ({@code db.$(NAMESPACE)}) and comment lines are skipped.
 */
final class HostWords {
    private static final int MAX_NAME = 254;
    private static final int MAX_LABEL = 63;

    /** The ends of names of variables, flags and keys whose value is a host. */
    private static final Set<String> HOST =
            Set.of(("host hosts hostname hostnames server servers addr addrs address addresses "
                            + "endpoint endpoints url urls uri uris upstream upstreams broker brokers peer peers")
                    .split(" "));

    /** The beginning of names whose value is the address on which a program listens: LISTEN_ADDRESS, --bind-address. */
    private static final Pattern LISTENING = Pattern.compile("^-*(?i:bind)(?![a-z])|(?i:listen)");

    /** The program whose argument is a host, known or not. */
    private static final String NSLOOKUP = "nslookup";

    /** The programs, and the option of clients of databases, after which a known word is a host. */
    private static final Set<String> LOOKUPS =
            Set.of((NSLOOKUP + " dig drill host getent ping ping6 nc ncat netcat telnet -h").split(" "));

    /** The beginning of a file name in which Bash connects to a host. */
    private static final String CONNECTION = "/dev/tcp/";

    /** The words before a command in a shell. */
    private static final Set<String> BEFORE_COMMAND =
            Set.of("until while if elif do then else time exec -c".split(" "));

    /** Several words without punctuation, of which the second one is no number. */
    private static final Pattern SEVERAL_WORDS = Pattern.compile("[A-Za-z0-9._-][ \\t]+[A-Za-z]");

    /** The key of a list in YAML, whose items follow. */
    private static final Pattern LIST = Pattern.compile("[\"']?([\\w.-]+)[\"']?:");

    /** The schemes of URLs without a host. */
    private static final Set<String> NO_HOST_SCHEMES = Set.of("s3", "s3a", "gs");

    private static final int MAX_IPV6 = 45;

    /** Numbers of versions (postgres:16), users (user:1000), hours and minutes, which are seldom ports. */
    private static final Pattern SELDOM_PORT = Pattern.compile("0\\d*|(?!25)[1-4]\\d|100[01]|6553[24]");

    /** A version with several numbers, or a date with a time. */
    private static final Pattern VERSION_OR_TIME = Pattern.compile("[vV]\\d+(\\.\\d+)+|\\d{4}-\\d{2}-\\d{2}T\\d{2}");

    private static final Set<String> NO_HOST =
            Set.of("localhost true false yes no on off null nil none http https tcp udp".split(" "));

    private final String text;
    private final boolean isOneLine;
    private final Predicate<String> known;
    private final Set<String> found = new LinkedHashSet<>();

    private HostWords(String text, Predicate<String> known) {
        this.text = text;
        this.isOneLine = text.strip().indexOf('\n') < 0;
        this.known = known;
    }

    /**
     * Returns the host names in a text, in its order.
     *
     * @param name the name of the variable, flag or key whose value the text is; may be empty
     * @param known whether a word is a name
     */
    static Set<String> in(String text, String name, Predicate<String> known) {
        HostWords words = new HostWords(text, known);
        String nameOfList = "";
        for (int start = 0; start < text.length(); ) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            String line = text.substring(start, end).strip();
            Matcher list = LIST.matcher(line);
            boolean isItem = line.startsWith("- ");
            // A dash is a part of words.
            int first = isItem ? text.indexOf('-', start) + 1 : start;
            words.line(first, end, isItem && !nameOfList.isEmpty() ? nameOfList : name);
            nameOfList = list.matches() ? list.group(1) : isItem ? nameOfList : "";
            start = end + 1;
        }
        return words.found;
    }

    private void line(int start, int end, String name) {
        String stripped = text.substring(start, end).strip();
        if (stripped.startsWith("#") || stripped.startsWith("//") || stripped.startsWith(";")) {
            return;
        }
        boolean isSentence = endsWithHost(name)
                && isOneLine
                && SEVERAL_WORDS.matcher(stripped).find();
        boolean ofHost = endsWithHost(name) && !isSentence || name.equals(NSLOOKUP);
        boolean ofImage = endsWithImage(name);
        boolean afterHost = false;
        boolean afterLookup = false;
        boolean afterSet = false;
        int at = start;
        while (at < end) {
            int ipv6 = ipv6End(at, end);
            if (ipv6 > at) {
                at = ipv6;
                afterHost = true;
                ofHost = false;
                continue;
            }
            if (!isWordPart(text.charAt(at))) {
                afterLookup &= ";&|)`".indexOf(text.charAt(at)) < 0;
                at++;
                continue;
            }
            int wordEnd = at;
            while (wordEnd < end && isWordPart(text.charAt(wordEnd))) {
                wordEnd++;
            }
            String word = text.substring(at, wordEnd);
            int port = portEnd(wordEnd, end);
            if (isScheme(wordEnd, end)) {
                int host = hostOfUrl(wordEnd + "://".length(), end);
                int hostEnd = host;
                while (hostEnd < end && isWordPart(text.charAt(hostEnd))) {
                    hostEnd++;
                }
                if (hostEnd > host
                        && !isReference(host, start)
                        && !isBeforeReference(hostEnd, end)
                        && !NO_HOST_SCHEMES.contains(word)) {
                    add(text.substring(host, hostEnd));
                }
                at = portEnd(hostEnd, end);
                afterHost = true;
                ofHost = false;
                continue;
            }
            boolean isSet = ofHost && isReplicaSet(wordEnd, end);
            boolean counts = !isSet
                    && !isReference(at, start)
                    && !isBeforeReference(wordEnd, end)
                    && !isBeforeScheme(wordEnd, end)
                    && !isUser(wordEnd, end)
                    && isHostName(word)
                    && (port > wordEnd
                                    && isPortOf(word, wordEnd, port)
                                    && !ofImage
                                    && (afterSet || !isInPath(at, start))
                            || ofHost && (afterSet || !isAfterSlash(at, start)) && !isNameOfValue(wordEnd, end)
                            || text.startsWith(CONNECTION, at - CONNECTION.length())
                            || isSentence && isQualified(word)
                            || afterHost
                                    && isListSeparator(at, start)
                                    && !isAssigned(wordEnd, end)
                                    && !HOST.contains(word)
                            || isServiceName(word)
                            || (word.indexOf('.') > 0
                                            || isSentence
                                            || afterLookup
                                            || isOneLine && stripped.equals(word))
                                    && known.test(word));
            if (counts) {
                add(word);
            }
            // A separator after the argument of a program begins another command, not another host.
            afterHost = counts && !afterLookup;
            boolean isKey = word.startsWith("-") || isAssigned(wordEnd, end);
            ofHost = isSet || !counts && (isKey && endsWithHost(word) || word.equals(NSLOOKUP) && isCommand(at, start));
            afterSet = isSet;
            afterLookup |= LOOKUPS.contains(word);
            // The words of an image are separated by slashes.
            ofImage = isKey && endsWithImage(word) || ofImage && wordEnd < end && text.charAt(wordEnd) == '/';
            at = Math.max(port, wordEnd);
        }
    }

    private void add(String word) {
        if (isHostName(word)) {
            found.add(word);
        }
    }

    private static boolean isWordPart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_';
    }

    /** Returns the end of an IPv6 address that begins here; the same position if none does. */
    private int ipv6End(int start, int end) {
        int at = start;
        while (at < end
                && at - start <= MAX_IPV6
                && (Character.digit(text.charAt(at), 16) >= 0 || ":.".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        boolean isWhole =
                (start == 0 || !isWordPart(text.charAt(start - 1))) && (at == end || !isWordPart(text.charAt(at)));
        String literal = text.substring(start, at);
        return isWhole
                        && literal.indexOf(':') >= 0
                        && IpAddress.tryParse(literal).isPresent()
                ? at
                : start;
    }

    /** Returns whether an at sign follows: the word is the user of a mail address, or a password. */
    private boolean isUser(int wordEnd, int end) {
        return wordEnd < end && text.charAt(wordEnd) == '@';
    }

    /** Returns whether a word follows another one and a slash: {@code registry/web:8080} is an image. */
    private boolean isInPath(int at, int start) {
        return at - 2 >= start && text.charAt(at - 1) == '/' && isWordPart(text.charAt(at - 2));
    }

    private static boolean endsWithImage(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith("image");
    }

    private boolean isScheme(int at, int end) {
        return at + 3 <= end && text.startsWith("://", at);
    }

    /**
     * Returns whether another scheme or the rest of this one follows: {@code jdbc:oracle:thin:@db}, {@code postgresql+psycopg2://db}. A
     * port is a number, and no colon follows its name.
     */
    private boolean isBeforeScheme(int wordEnd, int end) {
        int at = wordEnd + 1;
        if (at >= end || ":+".indexOf(text.charAt(wordEnd)) < 0 || !Character.isLetter(text.charAt(at))) {
            return false;
        }
        while (at < end && (isWordPart(text.charAt(at)) || text.charAt(at) == '+')) {
            at++;
        }
        return at < end && text.charAt(at) == ':';
    }

    /** Returns where the host of a URL begins: after the user and password, if there are any. */
    private int hostOfUrl(int start, int end) {
        int host = start;
        for (int at = start; at < end && "/?# \t\"'<>".indexOf(text.charAt(at)) < 0; at++) {
            if (text.charAt(at) == '@') {
                host = at + 1;
            }
        }
        return host;
    }

    /** Returns the end of a port after a word; the word's end if no port follows. */
    private int portEnd(int wordEnd, int end) {
        int at = wordEnd;
        if (at >= end || text.charAt(at) != ':') {
            return wordEnd;
        }
        at++;
        int digits = at;
        while (at < end && Character.digit(text.charAt(at), 10) >= 0) {
            at++;
        }
        // Ports have two to five digits in practice; one digit after a colon is more often a time or a version.
        boolean isPort = at - digits >= 2 && at - digits <= 5 && (at == end || !isWordPart(text.charAt(at)));
        return isPort ? at : wordEnd;
    }

    /** Returns whether the number after a word is a port: of another word than a known or qualified name, it may be a version or a user. */
    private boolean isPortOf(String word, int wordEnd, int portEnd) {
        return word.indexOf('.') > 0
                || !SELDOM_PORT.matcher(text.substring(wordEnd + 1, portEnd)).matches()
                || known.test(word);
    }

    /** Returns whether a value follows: host=, "host": */
    private boolean isAssigned(int wordEnd, int end) {
        int at = wordEnd;
        while (at < end && " \t\"'".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < end && (text.charAt(at) == '=' || text.charAt(at) == ':');
    }

    /** Returns whether a word is the name in {@code $(NAME)}, {@code ${NAME}} or {@code $NAME}, or follows one without a separator. */
    private boolean isReference(int at, int start) {
        if (at == start) {
            return false;
        }
        char before = text.charAt(at - 1);
        return before == '$'
                || before == '}'
                || (before == '(' || before == '{') && at - 2 >= start && text.charAt(at - 2) == '$';
    }

    /** Returns whether a comma, or a semicolon without a blank after it, which would end a shell command, is before a word. */
    private boolean isListSeparator(int at, int start) {
        int before = at - 1;
        while (before >= start && " \t\"'[".indexOf(text.charAt(before)) >= 0) {
            before--;
        }
        return before >= start && (text.charAt(before) == ',' || text.charAt(before) == ';' && before == at - 1);
    }

    /** Returns whether a reference follows without a separator: {@code db.$(NAMESPACE).svc}, of which the words are parts of a name. */
    private boolean isBeforeReference(int wordEnd, int end) {
        return wordEnd < end && (text.charAt(wordEnd) == '$' || text.startsWith("{{", wordEnd));
    }

    /** Returns whether a word is in a path: {@code /api/v1}. */
    private boolean isAfterSlash(int at, int start) {
        return at > start && text.charAt(at - 1) == '/' && (at - 1 == start || text.charAt(at - 2) != '/');
    }

    /** Returns whether a slash and a word with a port, or a list, follow: the word is the name of a replica set of MongoDB. */
    private boolean isReplicaSet(int wordEnd, int end) {
        if (wordEnd >= end || text.charAt(wordEnd) != '/') {
            return false;
        }
        int at = wordEnd + 1;
        while (at < end && isWordPart(text.charAt(at))) {
            at++;
        }
        return at > wordEnd + 1 && (portEnd(at, end) > at || at < end && text.charAt(at) == ',');
    }

    /**
     * Returns whether a word is the name of the text that follows: {@code unix:/run/web.sock}, {@code mysql:host=db}, {@code Server=db},
     * {@code name: web}. The name of a port is the last one of a text.
     */
    private boolean isNameOfValue(int wordEnd, int end) {
        if (isKeyInYaml(wordEnd, end)) {
            return true;
        }
        if (wordEnd + 1 >= end || text.charAt(wordEnd) != ':') {
            return wordEnd < end && text.charAt(wordEnd) == '=';
        }
        int at = wordEnd + 1;
        if ("/\\".indexOf(text.charAt(at)) >= 0) {
            return true;
        }
        boolean hasLetter = Character.isLetter(text.charAt(at));
        while (at < end && isWordPart(text.charAt(at))) {
            at++;
        }
        return hasLetter && at < end && "=/@".indexOf(text.charAt(at)) >= 0;
    }

    /** Returns whether a colon follows that ends the line, or is before a blank. */
    private boolean isKeyInYaml(int wordEnd, int end) {
        int colon = wordEnd < end && "\"'".indexOf(text.charAt(wordEnd)) >= 0 ? wordEnd + 1 : wordEnd;
        return colon < end
                && text.charAt(colon) == ':'
                && (colon + 1 == end || Character.isWhitespace(text.charAt(colon + 1)));
    }

    /** Returns whether the last label of a word with several labels begins with a letter, unlike that of a version. */
    private static boolean isQualified(String word) {
        int dot = word.lastIndexOf('.');
        return dot > 0 && dot + 1 < word.length() && Character.isLetter(word.charAt(dot + 1));
    }

    /** Returns whether a shell would run a word: it is the first one, or after a separator or a word such as until. */
    private boolean isCommand(int at, int start) {
        int wordEnd = at;
        while (wordEnd > start && " \t".indexOf(text.charAt(wordEnd - 1)) >= 0) {
            wordEnd--;
        }
        if (wordEnd == start) {
            return true;
        }
        int before = wordEnd;
        while (before > start && isWordPart(text.charAt(before - 1))) {
            before--;
        }
        return before == wordEnd
                ? ";&|(!`".indexOf(text.charAt(wordEnd - 1)) >= 0
                : BEFORE_COMMAND.contains(text.substring(before, wordEnd));
    }

    private static boolean isServiceName(String word) {
        String[] labels = word.split("\\.", -1);
        for (int i = 2; i < labels.length; i++) {
            if (labels[i].equals(ClusterSearches.SERVICES)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a name ends with a word for hosts (DB_HOST, db.host, --db-host, dbHost) that are looked up. */
    private static boolean endsWithHost(String name) {
        if (LISTENING.matcher(name).find()) {
            return false;
        }
        int at = name.length();
        while (at > 0 && Character.isLetter(name.charAt(at - 1))) {
            boolean isCapital = Character.isUpperCase(name.charAt(at - 1));
            at--;
            if (isCapital && at > 0 && Character.isLowerCase(name.charAt(at - 1))) {
                break;
            }
        }
        return HOST.contains(name.substring(at).toLowerCase(Locale.ROOT));
    }

    private static boolean isHostName(String word) {
        String name = word.endsWith(".") ? word.substring(0, word.length() - 1) : word;
        if (name.isEmpty() || word.length() > MAX_NAME || NO_HOST.contains(name.toLowerCase(Locale.ROOT))) {
            return false;
        }
        boolean hasLetter = false;
        for (String label : name.split("\\.", -1)) {
            if (label.isEmpty() || label.length() > MAX_LABEL || label.startsWith("-") || label.endsWith("-")) {
                return false;
            }
            hasLetter |= label.chars().anyMatch(c -> c >= 'A');
        }
        return hasLetter
                && !VERSION_OR_TIME.matcher(name).matches()
                && IpAddress.tryParse(name).isEmpty();
    }
}
