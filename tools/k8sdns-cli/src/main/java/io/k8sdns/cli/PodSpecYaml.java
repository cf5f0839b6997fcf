package io.k8sdns.cli;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import java.util.List;

/** Formats the DNS fields of a Pod's {@code spec} as YAML. */
final class PodSpecYaml {
    private PodSpecYaml() {}

    /** Returns the fields of a {@code spec} without indentation; all strings are quoted. */
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
                yaml.append("  - name: ").append(JsonText.of(option.name())).append('\n');
                option.value()
                        .ifPresent(value -> yaml.append("    value: ")
                                .append(JsonText.of(value))
                                .append('\n'));
            });
        }
        return yaml.toString();
    }

    private static void texts(StringBuilder yaml, String key, List<String> texts) {
        if (!texts.isEmpty()) {
            yaml.append("  ").append(key).append(":\n");
            texts.forEach(text -> yaml.append("  - ").append(JsonText.of(text)).append('\n'));
        }
    }
}
