package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The entries of a Pod's {@code /etc/hosts} besides the Pod's own name, as the kubelet writes them. Resolvers send no
 * query for these names.
 */
@Internal
public final class HostsFile {
    private static final IpAddress LOOPBACK = IpAddress.parse("::1");

    private static final Map<String, List<IpAddress>> NAMES = Map.of(
            "localhost", List.of(IpAddress.parse("127.0.0.1"), LOOPBACK),
            "ip6-localhost", List.of(LOOPBACK),
            "ip6-loopback", List.of(LOOPBACK),
            "ip6-localnet", List.of(IpAddress.parse("fe00::")),
            "ip6-mcastprefix", List.of(IpAddress.parse("fe00::")),
            "ip6-allnodes", List.of(IpAddress.parse("fe00::1")),
            "ip6-allrouters", List.of(IpAddress.parse("fe00::2")));

    private HostsFile() {}

    /**
     * Returns the addresses of a name.
     *
     * @param name the name, in lower case if the resolver ignores case
     * @param family the family of the addresses
     * @return an empty list if the file has no such addresses of the name
     */
    public static List<IpAddress> addresses(String name, Predicate<IpAddress> family) {
        return NAMES.getOrDefault(name, List.of()).stream().filter(family).toList();
    }
}
