package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * Explains the names of a cluster's snapshot.
 *
 * <pre>{@code
 * Explanation why = Explainer.of(cluster).explain("cart.lab", A);
 * why.resolves();       // false
 * why.causes();         // [Service lab/cart: no such Service]
 * why.suggestions();    // [look up cart.shop.svc.cluster.local.]
 * }</pre>
 *
 * <p>The fields of a Pod that was predicted for a workload ({@link io.k8sdns.model.Pod#workload}) are named as those of the workload's
 * template.
 *
 * <p>Thread-safe.
 */
public final class Explainer {
    private final ExplainedServer server;

    private Explainer(ExplainedServer server) {
        this.server = server;
    }

    /** Returns an explainer with {@link ZoneSettings#DEFAULTS}. */
    public static Explainer of(ClusterSnapshot cluster) {
        return of(cluster, ZoneSettings.DEFAULTS);
    }

    /** Returns an explainer of a server with these settings. */
    public static Explainer of(ClusterSnapshot cluster, ZoneSettings settings) {
        return of(cluster, settings, Visibility.ALL);
    }

    /** Returns an explainer of a server that shows only visible objects. */
    @Internal
    public static Explainer of(ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility) {
        return new Explainer(ExplainedServer.of(cluster, settings, visibility));
    }

    /**
     * Returns an explainer that suggests other names only, and no changes of objects: each change is tried with a zone of its own, which
     * costs as much as reading the whole cluster.
     */
    @Internal
    public Explainer withoutChanges() {
        return new Explainer(server.withoutChanges());
    }

    /**
     * Returns an explainer of a server that may not list Pods: the Pods of the snapshot are ignored, and no cause or suggestion assumes
     * that a Pod exists or not.
     */
    @Internal
    public Explainer withoutPods() {
        return new Explainer(server.withoutPods());
    }

    /**
     * Returns an explainer of objects that were read from manifests. Warnings about the objects behind a name are the first causes if it does
     * not resolve. A name does not resolve if its records are those of objects that an API server refuses.
     *
     * @param warnings the diagnostics of the manifests; notes are ignored, except for those about Services that get no address,
     *     because there is no range of its family
     * @param refusals the warnings because of which an API server refuses an object of the snapshot
     */
    @Internal
    public Explainer withWarnings(List<Diagnostic> warnings, List<Diagnostic> refusals) {
        return new Explainer(server.withWarnings(ManifestWarnings.of(warnings, refusals)));
    }

    /**
     * Explains a name, given as {@link io.k8sdns.ClusterDns#lookup(String, RecordType)} reads it, but not as an address.
     *
     * @param name the name
     * @param type the type
     * @throws io.k8sdns.name.InvalidNameException if it is not a valid name
     */
    public Explanation explain(String name, RecordType type) {
        return explain(server.settings().absoluteName(Objects.requireNonNull(name, "name")), type);
    }

    /**
     * Explains a name, given as dnsjava's type.
     *
     * @param name the name, absolute
     * @param type the type
     * @throws IllegalArgumentException if the name is not absolute
     */
    public Explanation explain(Name name, RecordType type) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Answer answer = server.whatIf().lookup(name, type);
        List<Explanation.Source> sources = new RecordSources(server.cluster(), server.settings()).of(answer.answer());
        Findings findings = new Findings(server, name, type);
        if (!Explanation.resolves(answer, name, type)) {
            new MissingRecords(findings).findCauses();
        } else {
            ShortAliasTarget alias = new ShortAliasTarget(findings);
            if (!alias.findCauses(answer, sources) && server.resolves(name, type, List.of())) {
                alias.suggestZone(answer, sources);
                return new Explanation(name, type, answer, sources, List.of(), findings.suggestions());
            }
        }
        return server.warnings()
                .addTo(
                        new Explanation(name, type, answer, sources, findings.causes(), findings.suggestions()),
                        findings);
    }
}
