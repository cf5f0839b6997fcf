package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.ObjectType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.kustomize.KustomizedNames.FullName;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.objects.TypedObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The objects of one file that {@link RenamedServices} needs, with the names in the file.
 *
 * @param objects the number of all objects of the file
 * @param services the Services
 * @param references the Services to which StatefulSets refer, with the namespaces of the StatefulSets
 */
record ServiceReferences(int objects, List<FullName> services, List<FullName> references) {
    static final String SERVICE = "Service";
    static final String STATEFUL_SET = "StatefulSet";

    /** No objects; for a file that cannot be read. */
    static final ServiceReferences NONE = new ServiceReferences(0, List.of(), List.of());

    private static final ObjectType SERVICE_TYPE = new ObjectType("v1", SERVICE);

    /** Reads a file. */
    static ServiceReferences of(byte[] file) {
        AtomicInteger objects = new AtomicInteger();
        List<FullName> services = new ArrayList<>();
        List<FullName> references = new ArrayList<>();
        List<TypedObjects.Found> found = TypedObjects.read(
                file,
                type -> {
                    objects.incrementAndGet();
                    return type.equals(SERVICE_TYPE) || type.kind().equals(STATEFUL_SET);
                },
                ObjectRenaming.NONE);
        for (TypedObjects.Found one : found) {
            FullName name = FullName.of(one.object());
            if (one.type().equals(SERVICE_TYPE)) {
                services.add(name);
            } else if (one.object().get("spec") instanceof Value.Mapping spec) {
                references.add(new FullName(KustomizedNames.text(spec.get("serviceName")), name.namespace()));
            }
        }
        return new ServiceReferences(objects.get(), services, references);
    }
}
