package io.k8sdns.resolvconf;

import java.util.Objects;

/**
 * A host's resolver configuration that the kubelet cannot read, so that no Pod of the node starts, whatever its policy.
 */
public final class MalformedResolvConfException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final String problem;

    /**
     * Says what is wrong where.
     *
     * @param line the first line that is wrong, counted from 1; 0 for the file as a whole
     * @param problem what is wrong, in the kubelet's words where it has any
     */
    public MalformedResolvConfException(int line, String problem) {
        super((line == 0 ? "" : "line " + line + ": ") + Objects.requireNonNull(problem, "problem"));
        this.line = line;
        this.problem = problem;
    }

    /** Returns the first line that is wrong, counted from 1; 0 for the file as a whole. */
    public int line() {
        return line;
    }

    /** Returns what is wrong, without the line: the kubelet's words, with their trailing blank where they have one. */
    public String problem() {
        return problem;
    }
}
