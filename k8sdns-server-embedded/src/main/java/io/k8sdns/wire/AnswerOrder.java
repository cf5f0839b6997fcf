package io.k8sdns.wire;

/**
 * The order in which a responder sends the addresses of an answer. A responder orders only the last set of the answer section,
 * and only if it holds A or AAAA records. It orders before it truncates, so that truncation favours no endpoint.
 *
 * <p>An answer may hold several sets with the same owner and type: groups in order of preference. The responder keeps the order
 * of the groups and orders the records inside each group.
 */
public enum AnswerOrder {
    /** Rotates: starts with the record at index (message id modulo number of records). Fair, and needs no state. */
    ROTATE,
    /** The order of the resolver's answer. */
    STABLE,
    /** Random order, from the host's {@link java.util.random.RandomGenerator}. */
    SHUFFLE
}
