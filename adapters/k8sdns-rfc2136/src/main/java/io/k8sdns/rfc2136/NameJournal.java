package io.k8sdns.rfc2136;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The names that may have been created in a zone, for servers that do not allow zone transfers: a file with a name in each line. A name
 * is written before it is created, and removed after it is deleted, so the file has at least the names that exist.
 */
final class NameJournal {
    private final @Nullable Path file;
    private final Set<DnsLabels> names = new TreeSet<>();

    private NameJournal(@Nullable Path file) {
        this.file = file;
    }

    /** Returns a journal in memory, for this run of the program alone. */
    static NameJournal inMemory() {
        return new NameJournal(null);
    }

    /**
     * Opens the journal in a file; an empty one if there is no file.
     *
     * @throws IOException if it cannot be read, or is no journal
     */
    static NameJournal open(Path file) throws IOException {
        NameJournal journal = new NameJournal(file);
        if (Files.exists(file)) {
            int number = 0;
            for (String line : Files.readString(file, StandardCharsets.US_ASCII).split("\n", -1)) {
                number++;
                if (!line.isEmpty()) {
                    try {
                        journal.names.add(DnsLabels.parse(line));
                    } catch (InvalidNameException wrong) {
                        throw new IOException(file + ", line " + number + ": " + wrong.getMessage(), wrong);
                    }
                }
            }
        }
        return journal;
    }

    /** Returns whether names survive the end of the program. */
    boolean isKept() {
        return file != null;
    }

    Set<DnsLabels> names() {
        return Set.copyOf(names);
    }

    void add(Collection<DnsLabels> more) throws IOException {
        Set<DnsLabels> before = new HashSet<>(names);
        if (names.addAll(more)) {
            try {
                write();
            } catch (IOException failed) {
                names.retainAll(before);
                throw failed;
            }
        }
    }

    /** Removes names; a file that cannot be written keeps them, which does no harm. */
    void remove(Collection<DnsLabels> fewer) {
        if (names.removeAll(fewer)) {
            try {
                write();
            } catch (IOException ignored) {
                // The next change writes the file again; until then it has names that no longer exist.
            }
        }
    }

    private void write() throws IOException {
        if (file == null) {
            return;
        }
        String text = names.stream().map(name -> name + ".\n").collect(Collectors.joining());
        Path whole = file.toAbsolutePath();
        Path draft = whole.resolveSibling(whole.getFileName() + ".new");
        try (FileChannel out = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        try {
            Files.move(draft, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException other) {
            Files.move(draft, whole, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
