package io.k8sdns.wire;

/**
 * In which order the addresses of an answer are sent. Only the last set of the answer section is ordered, and only if
 * it holds A or AAAA records. Order comes before truncation, so that cutting favours no endpoint.
 *
 * <p>An answer may hold several sets of one owner and type: groups in order of preference. The groups are sent in their order,
 * and each is ordered by itself.
 */
public enum AnswerOrder {
    /** Begins with the record whose number is the message id modulo the number of records: fair without any state. */
    ROTATE,
    /** As the resolver gave them. */
    STABLE,
    /** At random, by the host's generator. */
    SHUFFLE
}
