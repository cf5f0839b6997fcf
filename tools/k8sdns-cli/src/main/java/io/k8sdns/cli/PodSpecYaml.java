package io.k8sdns.cli;

import io.k8sdns.resolvconf.DnsConfig;
import io.k8sdns.resolvconf.DnsPolicy;
import java.util.List;

/** The part of a Pod's {@code spec} that speaks of DNS, as YAML. */
final class PodSpecYaml {
    private PodSpecYaml() {}

    /** Returns the fields as they stand in a {@code spec}, without indentation; every text is quoted. */
    static String of(DnsPolicy policy, DnsConfig config) {
        StringBuilder yaml = new StringBuilder()
                .append("dnsPolicy: ")
                .append(policy.word())
                .append('\n')
                .append("dnsConfig:\n");
        texts(yaml, "nameservers", config.nameservers());
        texts(yaml, "searches", config.searches());
        if (!config.options().isEmpty()) {
            yaml.append("  options:\n");
            config.options().forEach(option -> {
                yaml.append("  - name: ").append(JsonText.string(option.name())).append('\n');
                option.value()
                        .ifPresent(value -> yaml.append("    value: ")
                                .append(JsonText.string(value))
                                .append('\n'));
            });
        }
        return yaml.toString();
    }

    private static void texts(StringBuilder yaml, String key, List<String> texts) {
        if (!texts.isEmpty()) {
            yaml.append("  ").append(key).append(":\n");
            texts.forEach(
                    text -> yaml.append("  - ").append(JsonText.string(text)).append('\n'));
        }
    }
}
