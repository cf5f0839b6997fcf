package io.k8sdns.manifest.checks;

import io.k8sdns.json.Field;
import io.k8sdns.json.ObjectChecks;
import io.k8sdns.json.ObjectType;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The checks of manifests.
 *
 * @param areApplied whether values are checked as an API server would if the manifests were applied now; otherwise only
 *     the names of fields are checked
 */
public record ManifestChecks(boolean areApplied) implements ObjectChecks {
    /** The code of warnings about objects that are skipped, because an API server requires a field that they do not have. */
    public static final String REFUSED = "refused";

    private static final String DUPLICATE_FIELD = "duplicate-field";

    private static final String LOAD_BALANCER_IP_NONE = "load-balancer-ip-none";

    /**
     * The codes of warnings about objects that an API server accepts. It drops unknown and duplicate fields, unless the client asks it for strict
     * validation.
     */
    private static final Set<String> ACCEPTED =
            Set.of(KnownTypes.UNKNOWN_FIELD, DUPLICATE_FIELD, LOAD_BALANCER_IP_NONE);

    /** The fields with which an object begins. */
    private static final Set<String> OF_TYPE = Set.of("apiVersion", "kind");

    /** Returns whether objects of a kind are read, in the versions that are known. */
    public static boolean isKindRead(String kind) {
        return KnownTypes.READ.contains(kind);
    }

    /** Returns whether an API server refuses an object because of a warning that was reported when its document was read. */
    public static boolean isRefusal(Diagnostic ofDocument) {
        return ofDocument.severity() == Severity.WARNING && !ACCEPTED.contains(ofDocument.code());
    }

    @Override
    public void checkList(Field list) {
        KnownTypes.findings(list, "List", false).forEach(KnownTypes.Finding::report);
    }

    @Override
    public Optional<String> unknownKind(ObjectType type) {
        return KnownTypes.unknownKind(type);
    }

    /** Also reports values that an API server cannot decode. A strategic merge patch is reported as no object. */
    @Override
    public boolean hasKnownFields(Field object, String kind) {
        List<KnownTypes.Finding> findings = KnownTypes.findings(object, kind, areApplied);
        for (KnownTypes.Finding one : findings) {
            if (one.isPatchDirective()) {
                object.note(
                        "no-object",
                        "a strategic merge patch (" + one.field().name() + "), not a Kubernetes object: skipped");
                return false;
            }
        }
        findings.forEach(KnownTypes.Finding::report);
        boolean isFirstOfType = true;
        for (Field field : object.duplicates()) {
            String path = field.path().orElse("");
            String text = "duplicate field \"" + path + "\"; the last one is used";
            if (isFirstOfType && OF_TYPE.contains(path)) {
                isFirstOfType = false;
                text +=
                        "; if another object begins here, the line --- is missing before it, or is at the end of another line";
            }
            field.warn(DUPLICATE_FIELD, text);
        }
        return true;
    }

    @Override
    public boolean hasRequiredFields(Field object, String kind) {
        return !areApplied || RequiredFields.arePresent(object, kind);
    }

    @Override
    public void checkValues(Field object, String kind) {
        if (kind.equals(Service.KIND)) {
            checkLoadBalancerIp(object.get("spec").get("loadBalancerIP"));
        }
        if (areApplied) {
            ApiServerValidation.check(object, kind);
        }
    }

    private static void checkLoadBalancerIp(Field field) {
        if (field.scalarText().filter("None"::equalsIgnoreCase).isPresent()) {
            field.caution(
                    LOAD_BALANCER_IP_NONE,
                    "None makes no Service headless, so that this one has a cluster IP and not the addresses and hostnames of its Pods;"
                            + " for a headless one, set spec.clusterIP to None");
        }
    }

    /** Returns whether the address is valid for an endpoint; {@link ApiServerValidation} reports others. */
    @Override
    public boolean isEndpointAddress(IpAddress address) {
        return !areApplied || ApiServerValidation.endpointProblem(address).isEmpty();
    }
}
