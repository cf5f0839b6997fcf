package io.k8sdns.manifest.following;

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
 * The files and directories that one scan of the file system finds. It opens no file.
 *
 * <p>A directory is searched recursively. Links to files are followed, links to directories below it are not, so there
 * is not a loop. A file that is found twice is listed once.
 *
 * <p>The kubelet mounts the files of a ConfigMap or a Secret in a directory {@code ..2026_11_22_...}, and changes all
 * files at once with a link {@code ..data} to the current directory. Of the names that begin with two dots, only
 * {@code ..data} is searched, so that paths do not change with the files.
 *
 * @param files in the order of the given paths, and below a directory in the bytewise order of the whole paths
 * @param directories the directories to watch for changes
 */
public record FileScan(List<PathState> files, Set<Directory> directories) {
    /** The names of files that are kustomizations, in the order in which kustomize looks for them. */
    public static final List<String> KUSTOMIZATIONS =
            List.of("kustomization.yaml", "kustomization.yml", "Kustomization");

    private static final String MOUNTED = "..data";

    /** Copies the collections. */
    public FileScan {
        files = List.copyOf(files);
        directories = Set.copyOf(directories);
    }

    /**
     * A directory.
     *
     * @param real the real path, without links
     * @param key the identity in the file system, if available
     */
    public record Directory(Path real, @Nullable Object key) {}

    /** Scans files and directories, which need not exist. */
    public static FileScan at(List<Path> paths) {
        Search search = new Search();
        paths.forEach(search::named);
        return search.end();
    }

    /**
     * Scans a directory.
     *
     * @throws IOException if it cannot be read
     */
    public static FileScan below(Path directory) throws IOException {
        Search search = new Search();
        search.below(directory);
        return search.end();
    }

    /** Returns the reason why a path cannot be read, for the message. */
    public static String reason(IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return "no permission";
        }
        String reason = failure instanceof FileSystemException inWords ? inWords.getReason() : failure.getMessage();
        return reason == null ? failure.toString() : reason;
    }

    private static boolean isManifest(String name) {
        return name.endsWith(".yaml")
                || name.endsWith(".yml")
                || name.endsWith(".json")
                // One has no extension.
                || KUSTOMIZATIONS.contains(name);
    }

    /** A scan in progress. */
    private static final class Search {
        private final List<PathState> files = new ArrayList<>();
        private final Set<Directory> directories = new HashSet<>();

        FileScan end() {
            return new FileScan(files, directories);
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
                files.add(new PathState.Unreadable(path, reason(e), false));
            }
        }

        void below(Path top) throws IOException {
            Map<Key, PathState> found = new TreeMap<>();
            collect(top, found);
            Set<Path> known = new HashSet<>();
            for (PathState one : found.values()) {
                if (!(one instanceof PathState.RegularFile file)
                        || known.add(file.stamp().real())) {
                    files.add(one);
                }
            }
        }

        private void collect(Path directory, Map<Key, PathState> found) throws IOException {
            Path real = addDirectory(directory);
            try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
                for (Path child : children) {
                    collectChild(child, real, found);
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }

        private void collectChild(Path child, Path realParent, Map<Key, PathState> found) {
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
                    // No further system call, because there may be tens of thousands of files.
                    found.put(
                            new Key(child),
                            new PathState.RegularFile(
                                    child, PathState.Stamp.of(realParent.resolve(child.getFileName()), own)));
                } else if (isManifest(name) && !Files.isDirectory(child)) {
                    found.put(new Key(child), file(child, "a link to a missing file"));
                } else if (isManifest(name.toLowerCase(Locale.ROOT)) && !isManifest(name) && own.isRegularFile()) {
                    // kubectl ignores such a file without a message, but its author expects that it is read.
                    found.put(
                            new Key(child),
                            new PathState.Unreadable(child, "the extension must be .yaml, .yml or .json", false));
                }
            } catch (NoSuchFileException e) {
                // The file was removed after the directory was read.
            } catch (IOException e) {
                found.put(new Key(child), new PathState.Unreadable(child, reason(e), false));
            }
        }

        /**
         * Returns whether a link leads to a directory next to it that is not a link itself. Other links are not followed,
         * because a link to a parent would be a loop.
         */
        private static boolean isLinkToNeighbour(Path link, Path realParent) throws IOException {
            Path neighbour = realParent.resolve(Files.readSymbolicLink(link)).normalize();
            return realParent.equals(neighbour.getParent()) && Files.isDirectory(neighbour, LinkOption.NOFOLLOW_LINKS);
        }

        private PathState file(Path path, String missing) throws IOException {
            try {
                BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
                if (!attributes.isRegularFile()) {
                    // For example a pipe, which would wait for a writer.
                    return new PathState.Unreadable(path, "not a regular file", false);
                }
                Path real = path.toRealPath();
                addDirectoryOf(real);
                return new PathState.RegularFile(path, PathState.Stamp.of(real, attributes));
            } catch (NoSuchFileException e) {
                return new PathState.Unreadable(path, missing, true);
            }
        }

        /** Adds the directory of a path; if it does not exist, the nearest one above it. */
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
