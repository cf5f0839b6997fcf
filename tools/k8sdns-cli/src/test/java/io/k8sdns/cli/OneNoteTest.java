package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Tests notes that are printed once. */
class OneNoteTest {
    @Test
    void onlyTheFirstEventIsPrinted() {
        StringWriter err = new StringWriter();
        OneNote<String> note = new OneNote<>(new PrintWriter(err, true), event -> "note: " + event);
        note.accept("a");
        note.accept("b");
        assertThat(err.toString().lines()).containsExactly("note: a; further ones are not reported");
    }
}
