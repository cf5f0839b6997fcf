package io.k8sdns.rfc2136;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NameJournalTest {
    private static final DnsLabels ONE = DnsLabels.parse("one.example.org");
    private static final DnsLabels TWO = DnsLabels.parse("two.example.org");

    @TempDir
    private Path folder;

    @Test
    void namesSurviveARestart() throws IOException {
        Path file = folder.resolve("journal");
        NameJournal journal = NameJournal.open(file);
        assertThat(journal.names()).isEmpty();
        journal.add(List.of(TWO, ONE));
        assertThat(NameJournal.open(file).names()).containsExactlyInAnyOrder(ONE, TWO);
        journal.remove(List.of(TWO));
        assertThat(NameJournal.open(file).names()).containsExactly(ONE);
        assertThat(Files.readString(file)).isEqualTo("one.example.org.\n");
    }

    @Test
    void anInvalidFileIsReportedWithTheLine() throws IOException {
        Path file = Files.writeString(folder.resolve("journal"), "one.example.org.\na..b\n");
        assertThatThrownBy(() -> NameJournal.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("journal, line 2");
    }

    /** A name must be in the file before it is created. */
    @Test
    void noNamesAreAddedIfTheFileCannotBeWritten() {
        assertThatThrownBy(() -> {
                    NameJournal journal =
                            NameJournal.open(folder.resolve("no-such-folder").resolve("journal"));
                    try {
                        journal.add(List.of(ONE));
                    } finally {
                        assertThat(journal.names()).isEmpty();
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void withoutAFileNamesAreKeptForThisRun() throws IOException {
        NameJournal journal = NameJournal.inMemory();
        journal.add(List.of(ONE));
        assertThat(journal.names()).containsExactly(ONE);
    }
}
