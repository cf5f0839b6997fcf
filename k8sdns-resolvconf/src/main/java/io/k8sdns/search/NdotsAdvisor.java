package io.k8sdns.search;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Tells what the host strings of an application cost in a Pod, and what to write instead. */
@SuppressWarnings("DoNotCallSuggester")
public final class NdotsAdvisor {
    private final String resolvConf;
    private final Map<String, String> environment;
    private final List<Dialect> dialects;

    /**
     * Makes an advisor for programs of a Pod.
     *
     * @param resolvConf the text of the Pod's file
     * @param environment the environment of the programs, as for {@link ResolverSettings#read}
     * @param dialects the resolvers that the programs use
     */
    public NdotsAdvisor(String resolvConf, Map<String, String> environment, Collection<Dialect> dialects) {
        this.resolvConf = resolvConf;
        this.environment = Map.copyOf(environment);
        this.dialects = List.copyOf(dialects);
    }

    /**
     * Returns advice for one host string.
     *
     * @param host the host string as the application has it, without a port
     * @param answers what the servers say; it decides where each lookup ends
     */
    public HostAdvice advise(String host, Answers answers) {
        throw new UnsupportedOperationException("to come: " + host + answers + resolvConf + environment + dialects);
    }
}
