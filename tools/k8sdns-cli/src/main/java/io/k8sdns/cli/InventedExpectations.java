package io.k8sdns.cli;

import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.ExpectedOutcome;

/**
 * Marks what is invented in the expected part of a difference: {@code expected 10.97.1.2 (invented address), got NXDOMAIN}. The other
 * part is what the server answered, and is never marked.
 */
final class InventedExpectations {
    private final InventedRecords invented;

    InventedExpectations(InventedRecords invented) {
        this.invented = invented;
    }

    /** Returns whether something in the expected part of a difference is invented. */
    boolean isMarked(Difference difference) {
        return !text(difference).equals(difference.text());
    }

    /** Returns a difference as a line, with the marks. */
    String line(Difference difference) {
        return difference.line(text(difference));
    }

    /** Returns the text with marks at the expected records, or at the absence of records of a name that is made of an invented address. */
    private String text(Difference difference) {
        boolean areRecords = difference.expectation().outcome() instanceof ExpectedOutcome.Records;
        return difference
                .answer()
                .text(expected -> expected
                        + (areRecords ? mark(difference, expected, "") : mark(difference, "-", "name made of an ")));
    }

    private String mark(Difference difference, String data, String before) {
        String mark = invented.mark(
                difference.expectation().name(), difference.expectation().type() + " " + data);
        return mark.isEmpty() ? "" : " (" + before + mark + ")";
    }
}
