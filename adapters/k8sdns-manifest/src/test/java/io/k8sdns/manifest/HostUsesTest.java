package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostUsesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DB_HOST | db | db",
                "X | db | ",
                "X | known | known",
                "X | the known one | ",
                "X | see known.shop for more | known.shop",
                "X | see other.shop for more | ",
                "X | cart:8080 | cart",
                "X | http://cart | cart",
                "X | https://user:secret@cart.shop:8443/path?x=other:90 | cart.shop,other",
                "X | jdbc:postgresql://db.shop/orders | db.shop",
                "JDBC_URL | jdbc:postgresql://pgdb:5432/x | pgdb",
                "X | --url=jdbc:mysql:replication://a:3306,b:3306/x | a,b",
                "JDBC_URL | jdbc:oracle:thin:@db:1521/x | db",
                "JDBC_URL | jdbc:h2:mem:test | ",
                "DB_URL | postgresql+psycopg2://db/x | db",
                "DB_URL | db:$(PORT) | db",
                "X | mongodb://a:27017,b:27017/x | a,b",
                "X | mongodb://a,b/x | a,b",
                "BROKERS | kafka-0.kafka,kafka-1.kafka | kafka-0.kafka,kafka-1.kafka",
                "X | redis.cache.svc | redis.cache.svc",
                "X | redis.cache.svc.cluster.local. | redis.cache.svc.cluster.local.",
                "X | --db-host=db --verbose | db",
                "X | --db-host db --verbose | db",
                "X | the server is down | ",
                "X | {\"host\": \"db\", \"port\": 5432} | db",
                "X | dbHost=db | db",
                "X | ghost=db | ",
                "DB_HOST | 10.1.2.3 | ",
                "DB_HOST | localhost | ",
                "DB_HOST | ${OTHER} | ",
                "DB_HOST | $(OTHER).shop | ",
                "X | 12:30 | ",
                "X | nginx:1 | ",
                "X | nginx:1.25 | ",
                "X | ://:: | ",
                "X | http:// | ",
                "DB_HOST | -db | ",
                "DB_HOST | a..b | ",
                "DB_HOST | fd00::1 | ",
                "DB_HOSTS | ::ffff:10.0.0.1, db | db",
                "X | dead.beef:80 | dead.beef",
                "MAIL_ADDRESS | shop@mail.example | ",
                "X | smtp=shop@mail:25 | mail",
                "IMAGE | postgres:16 | ",
                "X | --image=ghcr.io/shop/cart:1234 --db=db:80 | db",
                "X | image: 'cart:16', host: db | db",
                "X | registry.example/cart:8080 | ",
                "BACKUP_URL | s3://backups/db | ",
                "X | server web-a:8080; server web-b:8080; | web-a,web-b",
                "API_URL | /api/v1 | ",
                "X | url: /api/v1 | ",
                "SOCKET_ADDRESS | /var/run/x.sock | ",
                "SOCKET_ADDRESS | unix:/var/run/x.sock | ",
                "X | url: //cdn.example.com/x | cdn.example.com",
                "DB_URL | mysql:host=db;port=3306 | db",
                "DB_URL | Server=sql,1433;Database=x | sql",
                "LOGO_URL | data:image/png | ",
                "CONTACT_URL | mailto:shop@mail.example | ",
                "DB_HOST | db:pg | db",
                "DB_HOST | db 5432 | db",
                "DB_HOST | not a host | ",
                "DB_HOST | the known one | known",
                "DB_HOSTS | version 1.2 of a.example.com and b.example.com | a.example.com,b.example.com",
                "DB_URL | host=db user=shop | db",
                "DB_HOST | db.$(NAMESPACE).svc | ",
                "DB_URL | http://db.${NAMESPACE}.svc:80 | ",
                "DB_URL | http://db:$(PORT) | db",
                "X | until nslookup known; do sleep 2; done | known",
                "X | nc -z known 80 && echo ok | known",
                "X | getent hosts known | known",
                "X | pg_isready -h known -p 5432 | known",
                "DB_HOST | rs0/db-0.db,db-1.db:27017 | db-0.db,db-1.db",
                "X | --configdb-host=rs0/cfg:27017 --port=80 | cfg",
                "API_URL | cart/v1 | cart",
                "X | until (echo > /dev/tcp/db/5432); do sleep 2; done | db",
                "X | ping other | ",
                "X | curl -s db:80; sleep 3 | db",
                "X | curl -s http://db/ ; echo failed | db",
                "X | proxy_pass http://db; proxy_set_header Host x; | db",
                "X | a:80;b:80 | a,b",
                "X | ping other; echo known | ",
                "X | until nslookup other; do sleep 2; done | other",
                "X | sh -c 'nslookup other' | ",
                "X | nslookup -type=a other | ",
                "X | echo nslookup failed | ",
                "X | true && nslookup other | other",
                "X | nslookup db.$(cat namespace).svc.cluster.local | ",
                "nslookup | other | other",
                "X | 2024-01-01T12:30 | ",
                "START_ADDRESS | 2024-01-01T12:30:00 | ",
                "X | postgres:16 | ",
                "X | postgres:5432 | postgres",
                "X | known:16 | known",
                "X | known.shop:22 | known.shop",
                "X | redis:6379 | redis",
                "X | smtp:25 | smtp",
                "X | web:80 | web",
                "X | user:1000 | ",
                "X | user:8080 | user",
                "X | v1.2.3:80 | ",
                "LISTEN_ADDRESS | eth0 | ",
                "X | --bind-address=eth0 --host=db | db",
                "LISTEN_ADDRESS | known | known",
                "LDAP_BIND_HOST | ldap | ldap",
            })
    void hostNamesOfAText(String name, String text, String expected) {
        Set<String> known = Set.of("known", "known.shop");

        assertThat(HostWords.in(text, name, known::contains))
                .containsExactlyElementsOf(expected == null ? List.of() : List.of(expected.split(",")));
    }

    @Test
    void commentLinesAreSkipped() {
        assertThat(HostWords.in("# a:80\n  // b:80\n; c:80\nd:80", "", any -> true))
                .containsExactly("d");
    }

    @Test
    void theTargetOfAnAliasIsAbsolute() throws IOException {
        String services = """
                kind: List
                apiVersion: v1
                items:
                - {apiVersion: v1, kind: Service, metadata: {name: short}, spec: {type: ExternalName, externalName: cart}}
                - {apiVersion: v1, kind: Service, metadata: {name: long}, spec: {type: ExternalName, externalName: api.example.com.}}
                - {apiVersion: v1, kind: Service, metadata: {name: ip}, spec: {type: ExternalName, externalName: 10.0.0.1}}
                - {apiVersion: v1, kind: Service, metadata: {name: ignored}, spec: {externalName: api.example.com}}
                """;

        assertThat(uses(services))
                .containsExactly(
                        "cart. Service default/short spec.externalName -:4",
                        "api.example.com. Service default/long spec.externalName -:5");
    }

    @Test
    void everyPlaceOfAManifestIsRead() throws IOException {
        String manifest = """
                apiVersion: v1
                kind: List
                items:
                - apiVersion: apps/v1
                  kind: Deployment
                  metadata: {name: web, namespace: shop}
                  spec:
                    template:
                      spec:
                        initContainers:
                        - name: wait
                          command: [wait-for, --host, db]
                        containers:
                        - name: web
                          env:
                          - {name: HOST, value: cart}
                          - {name: CART_URL, value: "http://$(HOST):8080"}
                          - {name: PASSWORD, valueFrom: {secretKeyRef: {name: x, key: y}}}
                          args: ["--queue=$(QUEUE):90", "--literal=$$(HOST):90", "--db=$(HOST).lab:90"]
                        - name: side
                          command: [nslookup, search]
                          env:
                          - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
                          - {name: MAIL_HOST, value: mail.$(NAMESPACE)}
                - apiVersion: batch/v1
                  kind: CronJob
                  metadata: {name: nightly}
                  spec: {jobTemplate: {spec: {template: {spec: {containers: [{env: [{name: API_ADDR, value: api}]}]}}}}}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: shop}
                data:
                  DB_HOST: db
                  app.conf: |
                    # ignored:80
                    backend = payments.lab.svc
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: api, namespace: shop}
                spec: {type: ExternalName, externalName: api.example.com}
                ---
                kind: Template
                apiVersion: template.openshift.io/v1
                parameters: [{name: HOST, value: redis}]
                objects:
                - {apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{env: [{name: REDIS, value: "${HOST}:6379"}]}]}}
                """;

        assertThat(uses(manifest))
                .containsExactly(
                        "db Deployment shop/web spec.template.spec.initContainers[0].command[2] -:12",
                        "cart Deployment shop/web spec.template.spec.containers[0].env[HOST] -:16",
                        "cart Deployment shop/web spec.template.spec.containers[0].env[CART_URL] -:17",
                        "cart.lab Deployment shop/web spec.template.spec.containers[0].args[2] -:19",
                        "mail.shop Deployment shop/web spec.template.spec.containers[1].env[MAIL_HOST] -:24",
                        "search Deployment shop/web spec.template.spec.containers[1].command[1] -:21",
                        "api CronJob default/nightly spec.jobTemplate.spec.template.spec.containers[0].env[API_ADDR] -:28",
                        "db ConfigMap shop/web data[DB_HOST] -:34",
                        "payments.lab.svc ConfigMap shop/web data[app.conf] -:35",
                        "api.example.com. Service shop/api spec.externalName -:42",
                        "redis Pod default/one spec.containers[0].env[REDIS] -:48");
    }

    @Test
    void aKeyOfAConfigMapHasTheNamesOfTheVariablesThatTakeItsValue() throws IOException {
        String manifest = """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec:
                  containers:
                  - env:
                    - {name: DB_HOST, valueFrom: {configMapKeyRef: {name: web, key: db}}}
                    - {name: OTHER_HOST, valueFrom: {configMapKeyRef: {name: missing, key: db}}}
                    args: ["--addr=$(DB_HOST):5432"]
                  - envFrom:
                    - {prefix: HOST_OF_, configMapRef: {name: web}}
                    - {prefix: MAIL_, configMapRef: {name: mail}}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: shop}
                data: {db: db, color: blue, url: "http://cart:80"}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: mail, namespace: shop}
                data: {server: relay, SERVER: smtp}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: lab}
                data: {db: elsewhere}
                """;

        assertThat(uses(manifest))
                .containsExactly(
                        "db Pod shop/web spec.containers[0].args[0] -:9",
                        "db ConfigMap shop/web data[db] -:17",
                        "cart ConfigMap shop/web data[url] -:17",
                        "relay ConfigMap shop/mail data[server] -:22",
                        "smtp ConfigMap shop/mail data[SERVER] -:22");
    }

    @Test
    void variablesOfEnvFromAreReplaced() throws IOException {
        String manifest = """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec:
                  containers:
                  - envFrom:
                    - {configMapRef: {name: first}}
                    - {prefix: P_, configMapRef: {name: second}}
                    env:
                    - {name: URL, value: "http://$(NAME):80"}
                    - {name: NAME, value: own}
                    args: ["--a=$(NAME):5432", "--b=$(P_NAME):5432", "--c=$(OTHER):5432"]
                  - envFrom:
                    - {configMapRef: {name: first}}
                    - {configMapRef: {name: second}}
                    args: ["--a=$(NAME):5432"]
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: first, namespace: shop}
                data: {NAME: one}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: second, namespace: shop}
                data: {NAME: two}
                """;

        assertThat(uses(manifest))
                .containsExactly(
                        "one Pod shop/web spec.containers[0].env[URL] -:10",
                        "own Pod shop/web spec.containers[0].args[0] -:12",
                        "two Pod shop/web spec.containers[0].args[1] -:12",
                        "two Pod shop/web spec.containers[1].args[0] -:16");
    }

    @Test
    void referencesToConfigMapsAreRenamedAsKustomizeDoes(@TempDir Path folder) throws IOException {
        Files.createDirectory(folder.resolve("base"));
        Files.writeString(
                folder.resolve("kustomization.yaml"), "resources: [base]\nnamePrefix: eu-\nnamespace: shop\n");
        Files.writeString(
                folder.resolve("base/kustomization.yaml"), "resources: [web.yaml, config.yaml]\nnameSuffix: -v1\n");
        Files.writeString(folder.resolve("base/config.yaml"), """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web}
                data: {db: orders, NAME: cart}
                """);
        Files.writeString(folder.resolve("base/web.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: web}
                spec:
                  containers:
                  - env:
                    - {name: DB_HOST, valueFrom: {configMapKeyRef: {name: web, key: db}}}
                    envFrom:
                    - {configMapRef: {name: web}}
                    args: ["--db=$(DB_HOST):5432", "--cart=$(NAME):8080"]
                """);

        assertThat(uses(ManifestInput.path(folder)))
                .map(use -> use.replaceFirst(" [^ ]*$", ""))
                .containsExactly(
                        "orders Pod shop/eu-web-v1 spec.containers[0].args[0]",
                        "cart Pod shop/eu-web-v1 spec.containers[0].args[1]",
                        "orders ConfigMap shop/eu-web-v1 data[db]");
    }

    @Test
    void itemsOfAListHaveTheNameOfTheList() throws IOException {
        String manifest = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: shop}
                data:
                  app.yaml: |
                    servers:
                      - relay
                      - "mail.example.com"
                    colors:
                      - blue
                      - red
                    hosts:
                    color:
                      - green
                    brokers:
                      - name: first
                        "host": smtp
                      - 'host': imap
                      - url: http://pop.lab:80
                      - address:
                    upstreams: [{host: search, weight: 5}]
                """;

        assertThat(uses(manifest))
                .containsExactly(
                        "relay ConfigMap shop/web data[app.yaml] -:5",
                        "mail.example.com ConfigMap shop/web data[app.yaml] -:5",
                        "smtp ConfigMap shop/web data[app.yaml] -:5",
                        "imap ConfigMap shop/web data[app.yaml] -:5",
                        "pop.lab ConfigMap shop/web data[app.yaml] -:5",
                        "search ConfigMap shop/web data[app.yaml] -:5");
    }

    @Test
    void variablesThatReferToEachOtherDoNotFillTheMemory() throws IOException {
        StringBuilder manifest = new StringBuilder(
                "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n  containers:\n  - env:\n    - {name: V0, value: 'a:80'}\n");
        for (int i = 1; i < 100; i++) {
            manifest.append("    - {name: V%d, value: '%s'}\n".formatted(i, ("$(V" + (i - 1) + ") ").repeat(10)));
        }

        // Each of the first texts holds the name; a text that would be too long stays as written.
        assertThat(uses(manifest.toString())).hasSizeBetween(3, 20);
    }

    private static List<String> uses(String manifest) throws IOException {
        return uses(ManifestInput.stream("-", new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8))));
    }

    private static List<String> uses(ManifestInput input) throws IOException {
        return HostUses.in(List.of(input), "default", (namespace, word) -> false).stream()
                .map(use -> use.host() + " " + use.object() + " " + use.field() + " " + use.position())
                .toList();
    }
}
