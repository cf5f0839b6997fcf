package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Names that the kubelet writes to {@code /etc/hosts} of a Pod: an entry of {@code spec.hostAliases}, as written in the manifest.
 *
 * @param ip the address, as written; a C library ignores lines with an invalid one
 * @param hostnames the names, as written
 */
public record HostAlias(String ip, List<String> hostnames) {
    /** Copies the list. */
    public HostAlias {
        Objects.requireNonNull(ip, "ip");
        hostnames = Copies.list("hostnames", hostnames);
    }

    /** Returns an entry, for example {@code HostAlias.of("10.1.2.3", "db.corp.test")}. */
    public static HostAlias of(String ip, String... hostnames) {
        return new HostAlias(ip, Arrays.asList(Objects.requireNonNull(hostnames, "hostnames")));
    }
}
