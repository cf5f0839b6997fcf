package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.following.FileBytes;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.kustomize.Kustomization.Reference;
import io.k8sdns.manifest.kustomize.KustomizedNames.FullName;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The kustomizations of one input. A kustomization to which no other one of the input refers is built; the others are built as part of
 * it.
 *
 * <p>The work is limited: a base that two kustomizations name is built twice, its own bases too, so that the work can grow exponentially.
 * There are limits for the number of kustomizations and files, for their depth, and for the number of changes of names, of files and of
 * the objects in them.
 */
public final class KustomizationTree {
    private static final int MAX_DEPTH = 100;
    private static final int MAX_KUSTOMIZATIONS = 10_000;
    private static final int MAX_FILES = 100_000;
    private static final int MAX_ENTRIES = 1_000_000;
    private static final int MAX_CHANGES = 10_000_000;

    /** The limit of the changes of all names of objects, and of the comparisons that references need. */
    private static final long MAX_STEPS = 5_000_000;

    /** The forms of remote resources: with a scheme, a host of Git, or a parameter. */
    private static final Pattern URL =
            Pattern.compile("^[a-z]+:.*|^git@.*|^[a-z0-9-]+\\.(com|org|io)/.*|.*\\?ref=.*", Pattern.CASE_INSENSITIVE);

    private final long maxFileSize;
    private final Map<Path, Path> scanned = new HashMap<>();

    /** The kustomization of each directory, by its path without links. */
    private final Map<Path, Optional<Kustomization>> known = new HashMap<>();

    /** The targets of the entries of each kustomization, because one may be built many times. */
    private final Map<Kustomization, Map<Reference, Target>> targets = new HashMap<>();

    private final Set<Kustomization> found = new LinkedHashSet<>();
    private final Map<Path, Build> builds = new HashMap<>();
    private final Set<Path> named = new HashSet<>();
    private final Set<String> reported = new HashSet<>();
    private int kustomizations;
    private int files;
    private int entries;
    private int changes;
    private boolean isFull;

    /** The names in each file, because one may be read many times. */
    private final Map<Path, ServiceReferences> references = new HashMap<>();

    private long steps;
    /** Whether {@link #MAX_STEPS} is reached: no further names change. */
    private boolean hasReachedLimit;

    /**
     * Makes a tree without kustomizations.
     *
     * @param maxFileSize the maximum size of a file in bytes
     */
    public KustomizationTree(long maxFileSize) {
        this.maxFileSize = maxFileSize;
    }

    /**
     * A file that a kustomization names.
     *
     * @param path the path in messages
     * @param real the path without links
     * @param changes the changes of the names in it, the innermost first
     */
    public record Part(Path path, Path real, List<NameTransformation> changes) {}

    /**
     * The kustomizations and files of one build.
     *
     * @param kustomizations it, and then those that it refers to
     * @param parts the files in order; one file may be there several times, with other names
     */
    public record Build(Set<Kustomization> kustomizations, List<Part> parts) {
        private Kustomization root() {
            return kustomizations.iterator().next();
        }
    }

    /** The target of an entry: a file, a kustomization, or neither, with the reason. */
    private record Target(Optional<NamedFile> file, Optional<Kustomization> kustomization, String problem) {
        static Target refused(String problem) {
            return new Target(Optional.empty(), Optional.empty(), problem);
        }
    }

    /** A file with the changes of the names in it. The same file with equal changes gives objects with equal names. */
    private record ChangedFile(Path real, List<NameTransformation> changes) {
        static ChangedFile of(Part part) {
            return new ChangedFile(part.real, List.copyOf(part.changes));
        }
    }

    /** A file that an entry names: the path in messages, and the one without links. */
    private record NamedFile(Path path, Path real) {}

    /** Returns whether a path has the name of a kustomization. */
    public static boolean isKustomizationFile(Path file) {
        Path name = file.getFileName();
        return name != null && FileScan.KUSTOMIZATIONS.contains(name.toString());
    }

    /**
     * Adds a file of the input, before {@link #plan}.
     *
     * @param path the path in messages
     * @param real the path without links
     */
    public void add(Path path, Path real) {
        scanned.put(real, path);
    }

    /** Decides which kustomizations are built, and what they read. */
    public void plan() {
        for (Map.Entry<Path, Path> file : List.copyOf(scanned.entrySet())) {
            Path directory = file.getKey().getParent();
            if (isKustomizationFile(file.getKey()) && directory != null) {
                in(directory).ifPresent(found::add);
            }
        }
        List<Kustomization> sorted = new ArrayList<>(found);
        sorted.sort((one, other) -> one.file().compareTo(other.file()));
        Set<Kustomization> referred = new HashSet<>();
        for (Kustomization one : sorted) {
            one.resources().forEach(entry -> refer(one, entry, false, referred));
            one.components().forEach(entry -> refer(one, entry, true, referred));
        }
        sorted.stream().filter(one -> !referred.contains(one)).forEach(this::build);
        // Those of a cycle refer to each other.
        sorted.stream().filter(one -> !named.contains(realFile(one))).forEach(this::build);
    }

    private void refer(Kustomization from, Reference entry, boolean isComponent, Set<Kustomization> referred) {
        target(from, entry, isComponent)
                .kustomization
                .filter(target -> !from.directory().startsWith(target.directory()))
                .ifPresent(referred::add);
    }

    private void build(Kustomization root) {
        List<Part> parts = new ArrayList<>();
        Set<Kustomization> reached = new LinkedHashSet<>();
        collect(root, parts, reached, new ArrayDeque<>());
        reportUnapplied(root, reached);
        builds.put(realFile(root), new Build(reached, parts));
    }

    /**
     * Returns what a kustomization reads.
     *
     * @param real the file of the kustomization, without links
     * @return empty if it is no kustomization, or another one refers to it
     */
    public Optional<Build> buildOf(Path real) {
        return Optional.ofNullable(builds.get(real));
    }

    /** Returns whether a kustomization names a file, without links; such a file is not read on its own. */
    public boolean isNamed(Path real) {
        return named.contains(real);
    }

    /**
     * Returns the names of the objects of each part of a build. If the limit is reached, the kustomization is reported, and no name
     * changes.
     *
     * @param contents the contents of the files that can be read, by their paths without links
     */
    public List<ObjectRenaming> renamings(Build build, Map<Path, byte[]> contents) {
        List<Part> changed = build.parts.stream()
                .filter(part -> !part.changes.isEmpty() && contents.containsKey(part.real))
                .toList();
        if (!changed.isEmpty() && !hasReachedLimit) {
            contents.forEach((real, bytes) -> references.computeIfAbsent(real, any -> ServiceReferences.of(bytes)));
            Optional<List<ObjectRenaming>> renamings =
                    changed.stream().allMatch(this::mayChange) ? withReferences(build) : Optional.empty();
            if (renamings.isPresent()) {
                return renamings.get();
            }
            hasReachedLimit = true;
            build.root()
                    .notes()
                    .warn(
                            "kustomization-limit",
                            Optional.empty(),
                            Optional.empty(),
                            0,
                            "the names are not changed, nor those of further kustomizations: that needs more than "
                                    + MAX_STEPS + " changes of names and comparisons");
        }
        return Collections.nCopies(build.parts.size(), ObjectRenaming.NONE);
    }

    private Optional<List<ObjectRenaming>> withReferences(Build build) {
        RenamedServices services = new RenamedServices();
        build.parts.forEach(part -> services.addReferences(references(part), part.changes));
        build.parts.forEach(part -> services.addServices(references(part), part.changes));
        List<ObjectRenaming> renamings = new ArrayList<>();
        for (Part part : build.parts) {
            Optional<Map<FullName, String>> names = services.namesFor(references(part), part.changes, this::mayStep);
            if (names.isEmpty()) {
                return Optional.empty();
            }
            renamings.add(new KustomizedNames(part.changes, names.get()));
        }
        return Optional.of(renamings);
    }

    private ServiceReferences references(Part part) {
        return references.getOrDefault(part.real, ServiceReferences.NONE);
    }

    private boolean mayChange(Part part) {
        return mayStep((long) references(part).objects() * part.changes.size());
    }

    private boolean mayStep(long further) {
        steps += further;
        return steps <= MAX_STEPS;
    }

    private static Path realFile(Kustomization one) {
        return one.directory().resolve(one.file().getFileName());
    }

    private void collect(Kustomization one, List<Part> parts, Set<Kustomization> reached, Deque<Kustomization> outer) {
        kustomizations++;
        reached.add(one);
        if (named.add(realFile(one))) {
            one.otherFiles().forEach(file -> nameOther(one, file));
        }
        outer.push(one);
        Set<ChangedFile> known = new HashSet<>();
        for (Reference entry : one.resources()) {
            int before = parts.size();
            Target target = target(one, entry, false);
            target.file.ifPresent(file -> addFile(one, entry, file, parts));
            target.kustomization.ifPresent(inner -> {
                if (mayEnter(one, entry, inner, outer)) {
                    List<Part> own = new ArrayList<>();
                    collect(inner, own, reached, outer);
                    parts.addAll(own);
                }
            });
            reportProblem(one, entry, target.problem);
            if (outer.size() == 1) {
                reportRepetition(one, entry, parts.subList(before, parts.size()), known);
            }
            if (isFull(one, entry)) {
                break;
            }
        }
        for (Reference entry : one.components()) {
            if (isFull(one, entry)) {
                break;
            }
            Target target = target(one, entry, true);
            // A Component changes all objects so far, also those of the kustomization that names it.
            target.kustomization
                    .filter(inner -> mayEnter(one, entry, inner, outer))
                    .ifPresent(inner -> collect(inner, parts, reached, outer));
            reportProblem(one, entry, target.problem);
        }
        if (!one.change().isNone() && parts.size() <= MAX_CHANGES - changes) {
            changes += parts.size();
            parts.forEach(part -> part.changes.add(one.change()));
        } else if (!one.change().isNone()) {
            full(one, 0, "the names are not changed");
        }
        outer.pop();
    }

    private void addFile(Kustomization from, Reference entry, NamedFile file, List<Part> parts) {
        if (files >= MAX_FILES) {
            full(from, entry.line(), "\"" + entry.path() + "\" is not read");
            return;
        }
        files++;
        named.add(file.real);
        parts.add(new Part(file.path, file.real, new ArrayList<>()));
    }

    private boolean mayEnter(Kustomization from, Reference entry, Kustomization inner, Deque<Kustomization> outer) {
        if (isFull) {
            return false;
        }
        for (Kustomization one : outer) {
            // A directory above is a cycle for kustomize, too.
            if (one.directory().startsWith(inner.directory())) {
                reportProblem(from, entry, "a cycle: it contains " + one.file() + ", which refers to it");
                return false;
            }
        }
        if (outer.size() >= MAX_DEPTH) {
            reportProblem(from, entry, "kustomizations are nested deeper than " + MAX_DEPTH);
            return false;
        }
        if (kustomizations >= MAX_KUSTOMIZATIONS) {
            full(from, entry.line(), "\"" + entry.path() + "\" is not read");
            return false;
        }
        return true;
    }

    /** Counts an entry, and returns whether a limit is reached. */
    private boolean isFull(Kustomization one, Reference entry) {
        entries++;
        if (entries > MAX_ENTRIES) {
            full(one, entry.line(), "what follows \"" + entry.path() + "\" is not read");
        }
        return isFull;
    }

    private void full(Kustomization at, int line, String what) {
        if (!isFull) {
            isFull = true;
            at.notes()
                    .warn(
                            "kustomization-limit",
                            Optional.empty(),
                            Optional.empty(),
                            line,
                            what + ", and no further kustomization: those of the input name more than "
                                    + MAX_KUSTOMIZATIONS + " kustomizations or " + MAX_FILES + " files");
        }
    }

    private void reportProblem(Kustomization from, Reference entry, String problem) {
        if (!problem.isEmpty() && reported.add(from.file() + ":" + entry.line() + ":" + entry.path() + ":" + problem)) {
            from.notes()
                    .warn(
                            "kustomization-resource",
                            Optional.empty(),
                            Optional.empty(),
                            entry.line(),
                            "\"" + entry.path() + "\" is not read: " + problem);
        }
    }

    /**
     * Reports an entry of the root that gives objects again. Kustomize refuses it, unless a patch has deleted or renamed these objects.
     *
     * @param known the files of the entries before it; those of this one are added
     */
    private static void reportRepetition(
            Kustomization root, Reference entry, List<Part> parts, Set<ChangedFile> known) {
        List<Part> repeated =
                parts.stream().filter(part -> !known.add(ChangedFile.of(part))).toList();
        if (!repeated.isEmpty()) {
            root.notes()
                    .warn(
                            "kustomization-repeated",
                            Optional.empty(),
                            Optional.empty(),
                            entry.line(),
                            "\"" + entry.path() + "\" may be refused by kustomize (may not add resource with an already"
                                    + " registered id): "
                                    + repeated.get(0).path + " is read twice with the same names");
        }
    }

    private static void reportUnapplied(Kustomization root, Set<Kustomization> reached) {
        Map<String, String> fields = new LinkedHashMap<>();
        int line = 0;
        for (Kustomization one : reached) {
            for (Map.Entry<String, Integer> field : one.unapplied().entrySet()) {
                line = line == 0 && one.equals(root) ? field.getValue() : line;
                String place = one.equals(root) ? "" : " (" + one.notes().position(field.getValue()) + ")";
                fields.putIfAbsent(field.getKey(), field.getKey() + place);
            }
        }
        if (!fields.isEmpty()) {
            boolean isHarmless = fields.keySet().stream().allMatch(Kustomization::isHarmless);
            root.notes()
                    .add(new Diagnostic(
                            isHarmless ? Severity.NOTE : Severity.WARNING,
                            "kustomization-fields",
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of(root.notes().position(line)),
                            FileNotes.printable("not applied: " + String.join(", ", fields.values()))));
        }
    }

    private void nameOther(Kustomization one, String file) {
        try {
            Path path = one.file().resolveSibling(file);
            if (Files.isRegularFile(path)) {
                named.add(path.toRealPath());
            }
        } catch (InvalidPathException | IOException noFile) {
            // The field is not applied, whatever it names.
        }
    }

    private Target target(Kustomization from, Reference entry, boolean isComponent) {
        Map<Reference, Target> known = targets.computeIfAbsent(from, any -> new HashMap<>());
        Target target = known.get(entry);
        if (target == null) {
            target = find(from, entry, isComponent);
            known.put(entry, target);
        }
        return target;
    }

    private Target find(Kustomization from, Reference entry, boolean isComponent) {
        try {
            if (Path.of(entry.path()).isAbsolute()) {
                return Target.refused("an absolute path");
            }
            Path path = from.file().resolveSibling(entry.path());
            if (Files.isDirectory(path)) {
                return kustomization(path, isComponent);
            }
            if (Files.isRegularFile(path)) {
                return isComponent ? Target.refused("a file; a component is a directory") : file(from, path);
            }
            if (Files.exists(path)) {
                return Target.refused("not a regular file");
            }
        } catch (InvalidPathException noPath) {
            return Target.refused(isUrl(entry) ? "a URL, and nothing is downloaded" : "not a path");
        } catch (IOException unreadable) {
            return Target.refused(FileScan.reason(unreadable));
        }
        return Target.refused(isUrl(entry) ? "a URL, and nothing is downloaded" : "no such file or directory");
    }

    private static boolean isUrl(Reference entry) {
        return URL.matcher(entry.path()).matches();
    }

    private Target kustomization(Path path, boolean isComponent) throws IOException {
        Path real = path.toRealPath();
        Optional<Kustomization> target = known.containsKey(real) ? known.get(real) : in(path, real);
        if (target.isEmpty()) {
            return Target.refused("the directory has no kustomization that can be read");
        }
        if (target.get().isComponent() != isComponent) {
            return Target.refused(
                    isComponent ? "a Kustomization, not a Component" : "a Component, which belongs into components");
        }
        return new Target(Optional.empty(), target, "");
    }

    private Target file(Kustomization from, Path path) throws IOException {
        Path real = path.toRealPath();
        if (!real.startsWith(from.directory())) {
            return Target.refused("a file outside of the kustomization's directory, which kustomize refuses");
        }
        Path directory = real.getParent();
        if (isKustomizationFile(real) && directory != null && in(directory).isPresent()) {
            return Target.refused("a kustomization; name its directory");
        }
        return new Target(Optional.of(new NamedFile(shown(path, real), real)), Optional.empty(), "");
    }

    private Optional<Kustomization> in(Path real) {
        return known.containsKey(real) ? known.get(real) : in(real, real);
    }

    private Optional<Kustomization> in(Path directory, Path real) {
        Optional<Kustomization> read = Optional.empty();
        for (String name : FileScan.KUSTOMIZATIONS) {
            Path file = real.resolve(name);
            if (Files.isRegularFile(file)) {
                read = load(shown(directory.resolve(name), file), real, file);
                break;
            }
        }
        known.put(real, read);
        return read;
    }

    private Optional<Kustomization> load(Path shown, Path directory, Path file) {
        try {
            return FileBytes.load(file, maxFileSize).flatMap(bytes -> Kustomization.read(shown, directory, bytes));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** Returns the path of a file in messages: that of the input, otherwise a short one. */
    private Path shown(Path path, Path real) {
        Path ofInput = scanned.get(real);
        if (ofInput != null) {
            return ofInput;
        }
        Path normal = path.normalize();
        try {
            // Not the same file if a directory on the way is a link.
            return normal.toRealPath().equals(real) ? normal : path;
        } catch (IOException missing) {
            return path;
        }
    }
}
