package io.k8sdns.json;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Collects the diagnostics of one file, in order. */
public final class FileNotes {
    /** The code of parts that are invalid because the file is a template that was not rendered. */
    public static final String TEMPLATE = "template";

    /** The maximum number of diagnostics of one file, because a large file may have millions of faults. */
    private static final int MAX_NOTES = 10_000;

    private static final int LONGEST_TEXT = 300;

    private static final Pattern CONTROL_CHARACTER = Pattern.compile("[\\p{Cc}\u2028\u2029]");

    private final String file;
    private final List<Diagnostic> found = new ArrayList<>();
    private int more;

    /**
     * Makes an empty collection for a file.
     *
     * @param file its path, which may hold any character
     */
    public FileNotes(String file) {
        this.file = CONTROL_CHARACTER.matcher(file).replaceAll(" ");
    }

    /** Returns the position of a line. */
    public Position position(int line) {
        return new Position(file, line);
    }

    /** Returns a copy of the notes. */
    public FileNotes copy() {
        return copyWithout(one -> false);
    }

    /** Returns a copy of the notes without some of them. */
    public FileNotes copyWithout(Predicate<Diagnostic> unwanted) {
        FileNotes copy = new FileNotes(file);
        found.stream().filter(unwanted.negate()).forEach(copy.found::add);
        copy.more = more;
        return copy;
    }

    public void add(Diagnostic diagnostic) {
        if (hasRoom()) {
            found.add(diagnostic);
        }
    }

    /** Returns whether another note is kept; otherwise counts it. */
    private boolean hasRoom() {
        if (found.size() >= MAX_NOTES) {
            more++;
            return false;
        }
        return true;
    }

    public void warn(String code, Optional<ObjectRef> object, Optional<String> field, int line, String text) {
        add(Severity.WARNING, code, object, field, line, text);
    }

    void note(String code, Optional<ObjectRef> object, Optional<String> field, int line, String text) {
        add(Severity.NOTE, code, object, field, line, text);
    }

    private void add(
            Severity severity, String code, Optional<ObjectRef> object, Optional<String> field, int line, String text) {
        if (hasRoom()) {
            found.add(new Diagnostic(
                    severity,
                    code,
                    object.map(FileNotes::printable),
                    field.map(FileNotes::printable),
                    Optional.of(position(line)),
                    printable(text)));
        }
    }

    /** Reports that a document cannot be read. */
    public Diagnostic brokenDocument(boolean template, int line, String problem) {
        Diagnostic why = new Diagnostic(
                Severity.WARNING,
                template ? TEMPLATE : "broken-document",
                Optional.empty(),
                Optional.empty(),
                Optional.of(position(line)),
                printable("the document is skipped: " + problem));
        add(why);
        return why;
    }

    /** Reports a value that is not an object. */
    public Diagnostic noObject(Value value) {
        Diagnostic why = new Diagnostic(
                Severity.NOTE,
                "no-object",
                Optional.empty(),
                Optional.empty(),
                Optional.of(position(value.line())),
                value.words() + ", not a Kubernetes object");
        add(why);
        return why;
    }

    /** Reports that the file or directory cannot be read. */
    public void unreadable(String reason) {
        warn("unreadable-file", Optional.empty(), Optional.empty(), 0, "cannot be read: " + reason);
    }

    /** Returns a mark that {@link #forgetSince} takes. */
    public int mark() {
        return found.size();
    }

    /** Removes the notes since a mark, because their document is skipped as a whole. */
    public void forgetSince(int mark) {
        found.subList(mark, found.size()).clear();
    }

    /** Returns all notes; those about templates as one. */
    public List<Diagnostic> all() {
        List<Diagnostic> all = new ArrayList<>();
        List<Diagnostic> templates =
                found.stream().filter(one -> one.code().equals(TEMPLATE)).toList();
        boolean folded = false;
        for (Diagnostic one : found) {
            if (!one.code().equals(TEMPLATE)) {
                all.add(one);
            } else if (!folded) {
                folded = true;
                all.add(new Diagnostic(
                        one.severity(),
                        TEMPLATE,
                        Optional.empty(),
                        Optional.empty(),
                        one.position(),
                        "a template that was not rendered; parts skipped: " + templates.size()));
            }
        }
        if (more > 0) {
            all.add(new Diagnostic(
                    Severity.WARNING,
                    "more",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(position(0)),
                    "and " + more + " more notes, which are not listed"));
        }
        return all;
    }

    private static ObjectRef printable(ObjectRef ref) {
        return new ObjectRef(printable(ref.kind()), ref.namespace().map(FileNotes::printable), printable(ref.name()));
    }

    /** Returns a text as one line of limited length, because messages quote the file. */
    public static String printable(String text) {
        String cut = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
        for (int i = 0; i < cut.length(); i++) {
            if (isControl(cut.charAt(i))) {
                return withBlanks(cut);
            }
        }
        return cut;
    }

    private static String withBlanks(String text) {
        StringBuilder clean = new StringBuilder(text);
        for (int i = 0; i < clean.length(); i++) {
            if (isControl(clean.charAt(i))) {
                clean.setCharAt(i, ' ');
            }
        }
        return clean.toString();
    }

    /** Tests most characters only once, because the files of a large cluster have a note for each object. */
    private static boolean isControl(char c) {
        return c < ' '
                || c > '~' && (Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || Character.isSurrogate(c));
    }
}
