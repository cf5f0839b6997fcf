package io.k8sdns.cli;

import java.util.Optional;

/** Checks the codes of EDNS options whose code the user chooses. */
final class EdnsOptionCodes {
    private static final int MAX = 0xFFFF;

    /** The codes for local and experimental use (RFC 6891, section 9). */
    private static final int MIN_LOCAL = 65_001;

    private static final int MAX_LOCAL = 65_534;

    /** The loop mark of SkyDNS: a federated name is refused in a query with this option. */
    private static final int LOOP_MARK = 65_011;

    private EdnsOptionCodes() {}

    /**
     * Returns why a code cannot be used, empty if it can. Only codes for local use can be: clients and servers would read the data as
     * that of another option, for example a search list as the client's subnet, now or when the code is assigned.
     *
     * @param option the option of the command, for the message
     */
    static Optional<String> problem(String option, long code) {
        if (code < 1 || code > MAX) {
            return Optional.of(option + ": not an option code (1 to 65535): " + code);
        }
        if (code == LOOP_MARK) {
            return Optional.of(option + ": " + code + " is the code of SkyDNS's loop mark; use another one");
        }
        return code >= MIN_LOCAL && code <= MAX_LOCAL
                ? Optional.empty()
                : Optional.of(option + ": " + code + " is not for local use; use a code from " + MIN_LOCAL + " to "
                        + MAX_LOCAL + ", except " + LOOP_MARK);
    }
}
