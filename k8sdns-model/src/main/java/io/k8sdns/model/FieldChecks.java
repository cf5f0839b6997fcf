package io.k8sdns.model;

import io.k8sdns.arguments.KubernetesNames;

/** Checks of fields, which throw an {@link InvalidFieldException} that names the field. */
final class FieldChecks {
    private FieldChecks() {}

    static void requireDnsLabel(String field, String value) {
        if (!KubernetesNames.isDnsLabel(value)) {
            throw new InvalidFieldException(
                    field,
                    "not a DNS label (lower-case letters, digits, inner dashes, 1 to 63 characters): \"" + value
                            + "\"");
        }
    }

    static void requireDnsSubdomain(String field, String value) {
        if (!KubernetesNames.isDnsSubdomain(value)) {
            throw new InvalidFieldException(
                    field,
                    "not a DNS subdomain (lower-case letters, digits, inner dashes and dots, 1 to 253 characters): \""
                            + value + "\"");
        }
    }

    static void requirePortNumber(String field, int value) {
        if (value < 1 || value > 65535) {
            throw new InvalidFieldException(field, "not a port number (1 to 65535): " + value);
        }
    }
}
