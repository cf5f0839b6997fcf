package io.k8sdns.cli;

import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks what is invented in the expected part of a difference: {@code expected 10.97.1.2 (invented address), got NXDOMAIN}. The other
 * part is what the server answered, and is never marked.
 */
final class InventedExpectations {
    /** The expected part of the text of a difference, after its first word. */
    private static final Pattern EXPECTED = Pattern.compile("(?:expected|missing) (.*?)(?=, got |; |$)");

    private final InventedRecords invented;

    InventedExpectations(InventedRecords invented) {
        this.invented = invented;
    }

    /** Returns whether something in the expected part of a difference is invented. */
    boolean isMarked(Difference difference) {
        return !marked(difference).equals(difference);
    }

    /** Returns a difference with the marks in its text. */
    Difference marked(Difference difference) {
        Matcher expected = EXPECTED.matcher(difference.text());
        if (!expected.lookingAt()) {
            return difference;
        }
        String text = difference.text().substring(0, expected.start(1))
                + marked(difference.expectation(), expected.group(1))
                + difference.text().substring(expected.end(1));
        return new Difference(difference.expectation(), difference.transports(), text);
    }

    /** Marks each of the listed records, or the absence of records at a name that is made of an invented address. */
    private String marked(Expectation expectation, String list) {
        if (!(expectation.outcome() instanceof ExpectedOutcome.Records records)) {
            return list + mark(expectation, "-");
        }
        StringBuilder marked = new StringBuilder();
        for (String data : list.split("(?<=, )", -1)) {
            String one = data.endsWith(", ") ? data.substring(0, data.length() - 2) : data;
            // The last one may be followed by the number of those that are not listed.
            String known = records.data().contains(one) ? one : one.replaceFirst(" and \\d+ more$", "");
            marked.append(known).append(mark(expectation, known)).append(data.substring(known.length()));
        }
        return marked.toString();
    }

    private String mark(Expectation expectation, String data) {
        String mark = invented.mark(expectation.name(), expectation.type() + " " + data);
        return mark.isEmpty() ? "" : " (" + mark + ")";
    }
}
