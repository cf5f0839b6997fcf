package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.Pod;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * The server whose answers are explained.
 *
 * @param cluster the objects of the cluster
 * @param settings the settings of the server
 * @param visibility which objects the server shows
 * @param whatIf looks names up in the cluster, as it is and after a change
 * @param knowsPods whether the Pods of the cluster are known; if not, the cluster here has none
 * @param warnings the warnings about the manifests of the objects
 * @param triesChanges whether changes of objects are tried and suggested
 */
record ExplainedServer(
        ClusterSnapshot cluster,
        ZoneSettings settings,
        Visibility visibility,
        WhatIf whatIf,
        boolean knowsPods,
        ManifestWarnings warnings,
        boolean triesChanges) {
    static ExplainedServer of(ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility) {
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(visibility, "visibility");
        WhatIf whatIf = new WhatIf(cluster, settings, visibility);
        return new ExplainedServer(cluster, settings, visibility, whatIf, true, ManifestWarnings.NONE, true);
    }

    /** Returns a server of the same cluster with other settings. */
    ExplainedServer with(ZoneSettings changed) {
        return new ExplainedServer(
                cluster,
                changed,
                visibility,
                new WhatIf(cluster, changed, visibility),
                knowsPods,
                warnings,
                triesChanges);
    }

    /** Returns a server of the same cluster that shows other objects. */
    ExplainedServer with(Visibility changed) {
        return new ExplainedServer(
                cluster, settings, changed, new WhatIf(cluster, settings, changed), knowsPods, warnings, triesChanges);
    }

    /** Returns whether a name resolves after some changes, without the objects that an API server refuses. */
    boolean resolves(Name name, RecordType type, List<ClusterChange> changes) {
        List<ClusterChange> all = new ArrayList<>(warnings.removals(cluster));
        all.addAll(changes);
        return whatIf.resolves(name, type, all);
    }

    ExplainedServer withoutChanges() {
        return new ExplainedServer(cluster, settings, visibility, whatIf, knowsPods, warnings, false);
    }

    ExplainedServer withWarnings(ManifestWarnings others) {
        return new ExplainedServer(cluster, settings, visibility, whatIf, knowsPods, others, triesChanges);
    }

    ExplainedServer withoutPods() {
        ClusterSnapshot others = ClusterSnapshot.of(cluster.objects().stream()
                .filter(object -> !(object instanceof Pod))
                .toList());
        return new ExplainedServer(
                others, settings, visibility, new WhatIf(others, settings, visibility), false, warnings, triesChanges);
    }
}
