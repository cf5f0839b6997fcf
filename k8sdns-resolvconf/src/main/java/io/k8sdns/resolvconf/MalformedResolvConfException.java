package io.k8sdns.resolvconf;

import java.util.Objects;

/**
 * Thrown for a host's resolver configuration that the kubelet cannot read, so that no Pod of the node starts, whatever
 * its policy is.
 */
public final class MalformedResolvConfException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final String problem;

    /**
     * Makes an exception for a line and its problem.
     *
     * @param line the first invalid line, counted from 1; 0 for the file as a whole
     * @param problem the problem, in the kubelet's words if it has a message
     */
    public MalformedResolvConfException(int line, String problem) {
        super((line == 0 ? "" : "line " + line + ": ") + Objects.requireNonNull(problem, "problem"));
        this.line = line;
        this.problem = problem;
    }

    /** Returns the first invalid line, counted from 1; 0 for the file as a whole. */
    public int line() {
        return line;
    }

    /** Returns the problem without the line: the kubelet's message, with its trailing blank if it has one. */
    public String problem() {
        return problem;
    }
}
