package io.k8sdns.cli;

import io.k8sdns.etcd.EtcdStore;
import io.k8sdns.etcd.EtcdTls;
import io.k8sdns.federation.FederationStore;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ParameterException;

/**
 * Starts a store in etcd. No other class of the command uses the etcd client, so that its classes are loaded only if a store in
 * etcd is chosen.
 */
final class EtcdConnector {
    private EtcdConnector() {}

    /**
     * Starts the store of the options. Does not wait for a connection.
     *
     * @throws ParameterException if a URL or the password is invalid
     * @throws IOException if a file cannot be read
     */
    static FederationStore start(EtcdOptions options) throws IOException {
        EtcdStore.Builder store;
        try {
            store = EtcdStore.builder(options.members);
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--etcd: " + invalid.getMessage());
        }
        if (options.certificate.isPresent()) {
            Path certificate = options.certificate.get();
            Path key = options.key.orElseThrow();
            store.tls(
                    options.ca.isPresent()
                            ? EtcdTls.withClientCertificate(options.ca.get(), certificate, key)
                            : EtcdTls.withClientCertificate(certificate, key));
        } else if (options.ca.isPresent()) {
            store.tls(EtcdTls.withCa(options.ca.get()));
        }
        Optional<String> user = options.user;
        if (user.isPresent()) {
            store.user(user.get(), password(options));
        }
        return store.start();
    }

    private static String password(EtcdOptions options) throws IOException {
        Path file = options.passwordFile.orElseThrow();
        String password;
        try {
            password = Files.readString(file).replaceFirst("\\R\\z", "");
        } catch (CharacterCodingException notUtf8) {
            throw options.usage("--etcd-password-file: not UTF-8: " + file);
        }
        if (password.isEmpty()) {
            throw options.usage("--etcd-password-file: no password in " + file);
        }
        return password;
    }
}
