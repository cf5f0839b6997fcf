package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStampsTest {
    @TempDir
    private Path folder;

    @Test
    void changedFileHasAnotherStamp() throws IOException {
        Path file = folder.resolve("token");
        FileStamps missing = FileStamps.of(Set.of(file));
        Files.writeString(file, "one");
        FileStamps one = FileStamps.of(Set.of(file));
        assertThat(one).isNotEqualTo(missing).isEqualTo(FileStamps.of(Set.of(file)));
        Files.writeString(file, "three");
        FileStamps three = FileStamps.of(Set.of(file));
        assertThat(three).isNotEqualTo(one);
        Files.delete(file);
        assertThat(FileStamps.of(Set.of(file))).isEqualTo(missing);
    }

    /** The kubelet writes a new folder and switches a link to it. */
    @Test
    void targetOfAChangedLinkHasAnotherStamp() throws IOException {
        Path first = Files.createDirectory(folder.resolve("..first"));
        Path second = Files.createDirectory(folder.resolve("..second"));
        Files.writeString(first.resolve("token"), "one");
        Files.writeString(second.resolve("token"), "two");
        Files.setLastModifiedTime(second.resolve("token"), Files.getLastModifiedTime(first.resolve("token")));
        Path data = Files.createSymbolicLink(folder.resolve("..data"), first);
        Path token = Files.createSymbolicLink(folder.resolve("token"), data.resolve("token"));
        FileStamps before = FileStamps.of(Set.of(token));
        Files.delete(data);
        Files.createSymbolicLink(data, second);
        assertThat(FileStamps.of(Set.of(token))).isNotEqualTo(before);
    }
}
