package io.k8sdns.cli;

import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.model.HostAlias;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolver.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;

/**
 * The file {@code /etc/hosts} of a Pod, which the C library reads before it sends a query.
 *
 * <p>The kubelet writes the loopback addresses, the addresses of the Pod with its hostname, and {@code spec.hostAliases}. A Pod on the host
 * network has the file of its node in place of the first two, of which only {@code localhost} is known. See {@code ensureHostsFile} in
 * {@code kubelet_pods.go}.
 */
final class PodHostsFile {
    /** The rule of the records, in place of a section of the specification. */
    static final String RULE = "/etc/hosts of the Pod";

    /** The rule of the records of a Pod on the host network that are in the file of every node. */
    static final String RULE_OF_NODES = "/etc/hosts of every node";

    /**
     * A line.
     *
     * @param object the object that a user edits; empty if the line is in the file of every Pod or node
     * @param field the path of its field; "" if there is no single one
     */
    private record Line(IpAddress address, List<String> names, Optional<ObjectRef> object, String field, String rule) {
        Line(IpAddress address, List<String> names, ObjectRef object, String field) {
            this(address, names, Optional.of(object), field, RULE);
        }

        static Line withoutObject(String rule, String address, String... names) {
            return new Line(IpAddress.parse(address), List.of(names), Optional.empty(), "", rule);
        }
    }

    private final List<Line> lines = new ArrayList<>();

    /**
     * Writes the file.
     *
     * @param dns the names of the Pod
     */
    PodHostsFile(Pod pod, PodDns dns) {
        ObjectRef object = pod.workload().orElse(pod.ref());
        if (pod.hostNetwork()) {
            lines.add(Line.withoutObject(RULE_OF_NODES, "127.0.0.1", "localhost"));
            lines.add(Line.withoutObject(RULE_OF_NODES, "::1", "localhost"));
        } else {
            lines.add(Line.withoutObject(RULE, "127.0.0.1", "localhost"));
            lines.add(Line.withoutObject(RULE, "::1", "localhost", "ip6-localhost", "ip6-loopback"));
            lines.add(Line.withoutObject(RULE, "fe00::", "ip6-localnet", "ip6-mcastprefix"));
            lines.add(Line.withoutObject(RULE, "fe00::1", "ip6-allnodes"));
            lines.add(Line.withoutObject(RULE, "fe00::2", "ip6-allrouters"));
        }
        if (!hasInventedHostname(pod)) {
            List<String> names =
                    Stream.concat(dns.fqdn().stream(), dns.hostname().stream()).toList();
            pod.ips().forEach(address -> lines.add(new Line(address, names, object, fieldOfHostname(pod))));
        }
        for (int i = 0; i < pod.hostAliases().size(); i++) {
            HostAlias alias = pod.hostAliases().get(i);
            String field = fieldOf(pod, "spec.hostAliases[" + i + "]");
            // The C library ignores a line without a valid address.
            IpAddress.tryParse(alias.ip())
                    .ifPresent(address -> lines.add(new Line(address, alias.hostnames(), object, field)));
        }
    }

    /** Returns whether the hostname is the name of a Pod for which its controller would choose another one. */
    private static boolean hasInventedHostname(Pod pod) {
        return pod.hostname().isEmpty() && pod.workload().isPresent();
    }

    private static String fieldOfHostname(Pod pod) {
        boolean isName = pod.hostname().orElse(pod.name()).equals(pod.name());
        if (isName && pod.workload().isPresent()) {
            // A template does not have the names of its Pods.
            return "";
        }
        if (pod.hostname().isEmpty()) {
            return "metadata.name";
        }
        return fieldOf(pod, "spec.hostname");
    }

    private static String fieldOf(Pod pod, String field) {
        return pod.workload().map(workload -> PodTemplate.path(workload, field)).orElse(field);
    }

    /**
     * Returns the explanation of a name that the file has; empty if it does not have it. The names are compared as they are written, without
     * the search list.
     *
     * @param name the name as a program passes it to its resolver
     * @param types the types of addresses, of which the first one that the name has is explained
     */
    Optional<Explanation> explain(String name, Set<RecordType> types) {
        return types.stream().flatMap(type -> explain(name, type).stream()).findFirst();
    }

    private Optional<Explanation> explain(String name, RecordType type) {
        List<Line> found = lines.stream()
                .filter(line -> type.equals(line.address.isIpv4() ? RecordType.A : RecordType.AAAA)
                        && line.names.stream().anyMatch(name::equalsIgnoreCase))
                .toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Name owner = DnsNames.absolute(DnsLabels.parse(name));
        List<RecordSet> records = found.stream()
                .map(line -> RecordSet.of(AddressRecords.record(owner, line.address, 0)))
                .toList();
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            Line line = found.get(i);
            String record = records.get(i).lines().findFirst().orElseThrow();
            sources.add(new Source(record, Optional.empty(), line.object, line.field, line.rule));
        }
        Answer answer = Answer.builder(Rcode.NOERROR).answer(records).build();
        return Optional.of(new Explanation(owner, type, answer, sources, List.of(), List.of()));
    }
}
