package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Service;
import io.k8sdns.records.Fact;
import io.k8sdns.records.NameData;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The zone of a cluster: publishes one immutable {@link ZoneRevision}. */
public final class ClusterZone {
    private final ZoneRevision current;

    private ClusterZone(ZoneRevision current) {
        this.current = current;
    }

    /** Returns the zone of a snapshot. */
    public static ClusterZone of(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        Map<OwnerName, List<Fact>> facts = new HashMap<>();
        Consumer<List<Fact>> add = some -> some.forEach(fact ->
                facts.computeIfAbsent(fact.owner(), owner -> new ArrayList<>()).add(fact));
        add.accept(rules.apex());
        Set<String> shown = new HashSet<>();
        snapshot.objects(Namespace.class).filter(visibility::shows).forEach(namespace -> {
            shown.add(namespace.name());
            add.accept(rules.of(namespace));
        });
        snapshot.objects(Service.class)
                .filter(service -> shown.contains(service.namespace()) && visibility.shows(service))
                .forEach(service -> add.accept(rules.of(service)));
        Map<OwnerName, NameData> names = new HashMap<>();
        facts.forEach((owner, all) -> names.put(owner, rules.assemble(owner, all)));
        return new ClusterZone(new ZoneRevision(rules.settings(), names, 1));
    }

    /** Returns the revision that was published last. */
    public ZoneRevision current() {
        return current;
    }
}
