package io.k8sdns.cli;

import java.util.Optional;
import org.xbill.DNS.EDNSOption;

/** Checks the codes of EDNS options whose code the user chooses. */
final class EdnsOptionCodes {
    private static final int MAX = 0xFFFF;

    private EdnsOptionCodes() {}

    /**
     * Returns why a code cannot be used, empty if it can. A code of another option is refused: clients and servers would read the data
     * as that option, for example a search list as the client's subnet.
     *
     * @param option the option of the command, for the message
     */
    static Optional<String> problem(String option, long code) {
        if (code < 1 || code > MAX) {
            return Optional.of(option + ": not an option code (1 to 65535): " + code);
        }
        String name = EDNSOption.Code.string((int) code);
        // dnsjava's text for a code that no option has.
        return name.equals("CODE" + code)
                ? Optional.empty()
                : Optional.of(option + ": " + code + " is the code of the option " + name
                        + "; use one from 65001 to 65534, which are for local use");
    }
}
