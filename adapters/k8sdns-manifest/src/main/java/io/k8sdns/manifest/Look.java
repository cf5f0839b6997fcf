package io.k8sdns.manifest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one look at the file system finds. No file is opened.
 *
 * <p>A directory is searched to its bottom; links to files count as files, links to directories below it are not followed,
 * so there is no loop; a file that is reached in two ways counts once.
 *
 * <p>What a kubelet mounts, a ConfigMap or a Secret, has its files in a directory {@code ..2026_11_22_...}, and a link
 * {@code ..data} to the one that is in force, so that all files change at once. There {@code ..data} is searched, and
 * nothing else whose name begins with two dots: its paths stay what they are when the files change.
 *
 * @param files in the order in which they count: that of the paths given, and below a directory the bytewise order of the
 *     whole paths
 * @param directories where it would show that something has changed
 */
record Look(List<Found> files, Set<Directory> directories) {
    private static final String MOUNTED = "..data";

    Look {
        files = List.copyOf(files);
        directories = Set.copyOf(directories);
    }

    /**
     * A directory.
     *
     * @param real the directory itself, at the end of all links
     * @param key what the file system knows it by, if it says
     */
    record Directory(Path real, @Nullable Object key) {}

    /** Looks at files and directories, whatever is there or not. */
    static Look at(List<Path> paths) {
        Search search = new Search();
        paths.forEach(search::named);
        return search.end();
    }

    /**
     * Looks at a directory.
     *
     * @throws IOException if it cannot be read
     */
    static Look below(Path directory) throws IOException {
        Search search = new Search();
        search.below(directory);
        return search.end();
    }

    /** Returns why something cannot be read, in words. */
    static String reason(IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return "no permission";
        }
        String reason = failure instanceof FileSystemException inWords ? inWords.getReason() : failure.getMessage();
        return reason == null ? failure.toString() : reason;
    }

    private static boolean isManifest(String name) {
        return name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json");
    }

    /** A look that has not come to its end. */
    private static final class Search {
        private final List<Found> files = new ArrayList<>();
        private final Set<Directory> directories = new HashSet<>();

        Look end() {
            return new Look(files, directories);
        }

        void named(Path path) {
            try {
                addDirectoryOf(path);
                if (Files.isDirectory(path)) {
                    below(path);
                } else {
                    files.add(file(path, "no such file or directory"));
                }
            } catch (IOException e) {
                files.add(new Found.Unreadable(path, reason(e), false));
            }
        }

        void below(Path top) throws IOException {
            Map<Key, Found> found = new TreeMap<>();
            collect(top, found);
            Set<Path> known = new HashSet<>();
            for (Found one : found.values()) {
                if (!(one instanceof Found.RegularFile file)
                        || known.add(file.stamp().real())) {
                    files.add(one);
                }
            }
        }

        private void collect(Path directory, Map<Key, Found> found) throws IOException {
            Path real = addDirectory(directory);
            try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
                for (Path child : children) {
                    collectChild(child, real, found);
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }

        private void collectChild(Path child, Path realParent, Map<Key, Found> found) {
            String name = child.getFileName().toString();
            try {
                BasicFileAttributes own =
                        Files.readAttributes(child, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (name.startsWith("..")) {
                    if (name.equals(MOUNTED) && own.isSymbolicLink() && isLinkToNeighbour(child, realParent)) {
                        collect(child, found);
                    }
                } else if (own.isDirectory()) {
                    collect(child, found);
                } else if (isManifest(name) && own.isRegularFile()) {
                    // No further system call: there may be tens of thousands.
                    found.put(
                            new Key(child),
                            new Found.RegularFile(child, Found.Stamp.of(realParent.resolve(child.getFileName()), own)));
                } else if (isManifest(name) && !Files.isDirectory(child)) {
                    found.put(new Key(child), file(child, "a link that leads nowhere"));
                } else if (isManifest(name.toLowerCase(Locale.ROOT)) && !isManifest(name) && own.isRegularFile()) {
                    // kubectl passes over it, which is hardly what its author expects.
                    found.put(
                            new Key(child),
                            new Found.Unreadable(child, "the extension must be .yaml, .yml or .json", false));
                }
            } catch (NoSuchFileException e) {
                // It went away since the directory was read.
            } catch (IOException e) {
                found.put(new Key(child), new Found.Unreadable(child, reason(e), false));
            }
        }

        /** A neighbour that is no link itself: a link that led upwards would be a loop. */
        private static boolean isLinkToNeighbour(Path link, Path realParent) throws IOException {
            Path neighbour = realParent.resolve(Files.readSymbolicLink(link)).normalize();
            return realParent.equals(neighbour.getParent()) && Files.isDirectory(neighbour, LinkOption.NOFOLLOW_LINKS);
        }

        private Found file(Path path, String missing) throws IOException {
            try {
                BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
                if (!attributes.isRegularFile()) {
                    // Or a pipe that nobody may ever write to.
                    return new Found.Unreadable(path, "no regular file", false);
                }
                Path real = path.toRealPath();
                addDirectoryOf(real);
                return new Found.RegularFile(path, Found.Stamp.of(real, attributes));
            } catch (NoSuchFileException e) {
                return new Found.Unreadable(path, missing, true);
            }
        }

        /** The directory that a path is in, or would be in if it was there. */
        private void addDirectoryOf(Path path) throws IOException {
            Path directory = path.toAbsolutePath().getParent();
            while (directory != null && !Files.isDirectory(directory)) {
                directory = directory.getParent();
            }
            if (directory != null) {
                addDirectory(directory);
            }
        }

        private Path addDirectory(Path directory) throws IOException {
            Path real = directory.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            directories.add(new Directory(real, attributes.fileKey()));
            return real;
        }
    }

    /**
     * Sort key of a path: its text as UTF-8, then the path itself. In the POSIX locale the JVM decodes every non-ASCII byte of
     * a file name to the same character, so two files may have one text.
     */
    private static final class Key implements Comparable<Key> {
        private final byte[] text;
        private final Path path;

        Key(Path path) {
            this.text = path.toString()
                    .replace(path.getFileSystem().getSeparator(), "/")
                    .getBytes(StandardCharsets.UTF_8);
            this.path = path;
        }

        @Override
        public int compareTo(Key other) {
            int byText = Arrays.compareUnsigned(text, other.text);
            return byText != 0 ? byText : path.compareTo(other.path);
        }
    }
}
