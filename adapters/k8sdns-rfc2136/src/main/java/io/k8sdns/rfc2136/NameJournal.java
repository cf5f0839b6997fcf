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
 * A file with the names that may exist in a zone, one per line, for servers that do not allow zone transfers. A name is added before it
 * is created and removed after it is deleted, so that the file contains at least the existing names.
 */
final class NameJournal {
    private final @Nullable Path file;
    private final Set<DnsLabels> names = new TreeSet<>();

    private NameJournal(@Nullable Path file) {
        this.file = file;
    }

    /** Returns a journal in memory, which is lost at the end of the program. */
    static NameJournal inMemory() {
        return new NameJournal(null);
    }

    /**
     * Opens the journal in a file; empty if the file does not exist.
     *
     * @throws IOException if the file cannot be read or parsed
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

    /** Returns whether the names are stored in a file. */
    boolean isPersistent() {
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

    /** Removes names. If the file cannot be written, it keeps them, which is harmless. */
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
