package io.k8sdns.federation.api;

import io.k8sdns.federation.pem.PemFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** Certificates with an extended key usage, which {@link HeldCertificate} cannot make; made by openssl, valid for a hundred years. */
final class EncodedCertificates {
    /** The CA of the others. */
    static final String CA = """
            -----BEGIN CERTIFICATE-----
            MIIBnTCCAUOgAwIBAgIUdCxkah3rbduuqIhsNDh4bTWCOR0wCgYIKoZIzj0EAwIw
            IzEhMB8GA1UEAwwYY2Egb2YgZml4ZWQgY2VydGlmaWNhdGVzMCAXDTI2MTEyNDEy
            MDcyM1oYDzIxMjYxMDMxMTIwNzIzWjAjMSEwHwYDVQQDDBhjYSBvZiBmaXhlZCBj
            ZXJ0aWZpY2F0ZXMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQHY2zDovjgcA4u
            l2BcnUFdXpGUVh9I+TUx+cw8tJYudMIlvr2vykkfKaQNz327O9BugwMSrU8YXzpO
            ArUrTAF/o1MwUTAdBgNVHQ4EFgQUIJa++t9WpjBt0WplhTFeIw0ssaEwHwYDVR0j
            BBgwFoAUIJa++t9WpjBt0WplhTFeIw0ssaEwDwYDVR0TAQH/BAUwAwEB/zAKBggq
            hkjOPQQDAgNIADBFAiBODSi/y0BGcsBQxqxdnFgYgH/DrMi1DQJUYHu/0be1+gIh
            ALMpWj1J4Lz3VH1TWSmZwVO7O11aPXD2wAvcpnOSxbqd
            -----END CERTIFICATE-----
            """;

    /** A certificate for servers alone. */
    static final String SERVER_AUTH = """
            -----BEGIN CERTIFICATE-----
            MIIBkjCCATmgAwIBAgIUX4ZrH1KrGadD9K4HqTSXUMZC20AwCgYIKoZIzj0EAwIw
            IzEhMB8GA1UEAwwYY2Egb2YgZml4ZWQgY2VydGlmaWNhdGVzMCAXDTI2MTEyNDEy
            MDcyM1oYDzIxMjYxMDMxMTIwNzIzWjAVMRMwEQYDVQQDDApjb250cm9sbGVyMFkw
            EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEb8ZCO9tYP9W6h8NSm9tAQvqedReI8g0l
            hYzASN5XtW3R8NiahbsFn+ES2HlS0QR29d/N1MgMI2WJuddLPuPthKNXMFUwEwYD
            VR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFOy9EGGXTrOnEGgszytGSRbJ++Uo
            MB8GA1UdIwQYMBaAFCCWvvrfVqYwbdFqZYUxXiMNLLGhMAoGCCqGSM49BAMCA0cA
            MEQCIEqv3q/99wNT6EOeGlv2xtqiD5Zzr8S+QDLDIfkBXlYuAiBIg9Kz4zFDSlAq
            leTbyUJnloaVEqCnkWEIjiE079LFnA==
            -----END CERTIFICATE-----
            """;

    /** Its key. */
    static final String SERVER_AUTH_KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZX2mSKt5f3VTt8Wt
            SsiFAbQwljR2+HbAZu+u37Un1jmhRANCAARvxkI721g/1bqHw1Kb20BC+p51F4jy
            DSWFjMBI3le1bdHw2JqFuwWf4RLYeVLRBHb1383UyAwjZYm510s+4+2E
            -----END PRIVATE KEY-----
            """;

    /** A certificate for clients alone. */
    static final String CLIENT_AUTH = """
            -----BEGIN CERTIFICATE-----
            MIIBlDCCATmgAwIBAgIUX4ZrH1KrGadD9K4HqTSXUMZC20EwCgYIKoZIzj0EAwIw
            IzEhMB8GA1UEAwwYY2Egb2YgZml4ZWQgY2VydGlmaWNhdGVzMCAXDTI2MTEyNDEy
            MDcyM1oYDzIxMjYxMDMxMTIwNzIzWjAVMRMwEQYDVQQDDApjb250cm9sbGVyMFkw
            EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjANJN99m9FBEv5Hd4AU9RfG9/qLv2idn
            m0ViOCllgXfuWsJ9ya18GsQSCyyXDiIOHhzGjK2tkENizuObAQ1nMaNXMFUwEwYD
            VR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0OBBYEFEYxbxp5/euoRyY8+jA/bu7MtzDp
            MB8GA1UdIwQYMBaAFCCWvvrfVqYwbdFqZYUxXiMNLLGhMAoGCCqGSM49BAMCA0kA
            MEYCIQDHKIsuw7AkVglamb8t1Jl7IKkoWqlmR0146tEIjLHqUgIhALEqOtd3EyQq
            +eKGlB8Ot83h1NciI653QHZWm3CkvLCd
            -----END CERTIFICATE-----
            """;

    /** Its key. */
    static final String CLIENT_AUTH_KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPaxFJh4VuF1jxtz3
            5uj3vlpyxgNTHmjZqZq1czrUiUWhRANCAASMA0k332b0UES/kd3gBT1F8b3+ou/a
            J2ebRWI4KWWBd+5awn3JrXwaxBILLJcOIg4eHMaMra2QQ2LO45sBDWcx
            -----END PRIVATE KEY-----
            """;

    /** The same key in the form of SEC 1. */
    static final String CLIENT_AUTH_SEC1_KEY = """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEID2sRSYeFbhdY8bc9+bo975acsYDUx5o2amatXM61IlFoAoGCCqGSM49
            AwEHoUQDQgAEjANJN99m9FBEv5Hd4AU9RfG9/qLv2idnm0ViOCllgXfuWsJ9ya18
            GsQSCyyXDiIOHhzGjK2tkENizuObAQ1nMQ==
            -----END EC PRIVATE KEY-----
            """;

    private EncodedCertificates() {}

    /** Returns the TLS of a client that has one of them, and trusts a server's certificate. */
    static SSLContext context(String certificate, String key, HeldCertificate server)
            throws IOException, GeneralSecurityException {
        Path file = Files.createTempFile("k8sdns", ".pem");
        X509Certificate own;
        KeyPair pair;
        try {
            own = PemFile.read(Files.writeString(file, certificate))
                    .certificates()
                    .get(0);
            pair = new KeyPair(
                    own.getPublicKey(),
                    PemFile.read(Files.writeString(file, key)).privateKey(own.getPublicKey()));
        } finally {
            Files.delete(file);
        }
        return new HandshakeCertificates.Builder()
                .addTrustedCertificate(server.certificate())
                .heldCertificate(new HeldCertificate(pair, own))
                .build()
                .sslContext();
    }
}
