package io.k8sdns.federation.api;

import io.k8sdns.model.IpAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** The names of a client certificate: its common name, and its subject alternative names of the kinds DNS, IP, e-mail and URI. */
final class ClientNames {
    private static final int EMAIL = 1;
    private static final int DNS = 2;
    private static final int URI = 6;
    private static final int IP = 7;

    private ClientNames() {}

    /**
     * Returns whether a certificate has one of the allowed names. DNS names are compared without regard to letter case, addresses by
     * value, and all others exactly; wildcards are not expanded.
     */
    static boolean hasAny(X509Certificate certificate, Collection<String> allowed) {
        if (commonName(certificate).filter(allowed::contains).isPresent()) {
            return true;
        }
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names != null
                    && names.stream().anyMatch(name -> allowed.stream().anyMatch(one -> isEqual(name, one)));
        } catch (CertificateParsingException malformed) {
            return false;
        }
    }

    private static boolean isEqual(List<?> alternative, String name) {
        if (!(alternative.get(0) instanceof Integer kind) || !(alternative.get(1) instanceof String value)) {
            return false;
        }
        return switch (kind) {
            case DNS -> value.equalsIgnoreCase(name);
            case EMAIL, URI -> value.equals(name);
            case IP ->
                IpAddress.tryParse(name).isPresent()
                        && IpAddress.tryParse(value).equals(IpAddress.tryParse(name));
            default -> false;
        };
    }

    /** Returns the common name of the subject if it has exactly one. */
    private static Optional<String> commonName(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
            for (Rdn part : new LdapName(subject).getRdns()) {
                Attribute name = part.toAttributes().get("CN");
                for (int i = 0; name != null && i < name.size(); i++) {
                    names.add(name.get(i) instanceof String text ? text : "");
                }
            }
        } catch (NamingException malformed) {
            return Optional.empty();
        }
        return names.size() == 1 ? Optional.of(names.get(0)) : Optional.empty();
    }
}
