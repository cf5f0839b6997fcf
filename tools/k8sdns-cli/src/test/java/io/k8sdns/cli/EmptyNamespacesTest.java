package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the warnings about namespaces of {@code --namespace} that have no object. */
@Timeout(300)
class EmptyNamespacesTest extends LiveTestBase {
    private static final String OF_MANIFESTS =
            "warning: no object that has records is in the namespace shpo, did you mean shop? (namespaces: shop)";

    @ParameterizedTest
    @ValueSource(strings = {"records", "query cart.shop.svc.cluster.local", "explain cart.shop", "records --verbose"})
    void aMisspeltNamespaceOfManifestsIsReported(String command) {
        Run run = Run.of(List.of(command.split(" ", -1)), "-f", Run.BOOKSTORE, "-n", "shpo");
        assertThat(run.err().lines()).containsOnlyOnce(OF_MANIFESTS);
        assertThat(run.code()).isEqualTo(command.startsWith("explain") ? Main.FAILED : Main.DONE);
        assertThat(Run.of(List.of(command.split(" ", -1)), "-f", Run.BOOKSTORE, "-n", "shop")
                        .err())
                .doesNotContain("is in the namespace");
    }

    @Test
    void theSideIsNamed() {
        assertThat(Run.of("diff", "-n", "shpo", Run.BOOKSTORE, Run.BOOKSTORE)
                        .err()
                        .lines())
                .contains(OF_MANIFESTS.replace("warning: ", "warning: A: "))
                .contains(OF_MANIFESTS.replace("warning: ", "warning: B: "));
    }

    @Test
    void anEmptyNamespaceThatExistsIsNotMisspelt() throws IOException {
        String file = Files.writeString(folder.resolve("ns.yaml"), """
                {apiVersion: v1, kind: Namespace, metadata: {name: lab}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: labs}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: idle, namespace: labs}
                spec:
                  replicas: 0
                  selector: {matchLabels: {app: idle}}
                  template: {metadata: {labels: {app: idle}}, spec: {containers: [{name: a, image: b}]}}
                """).toString();
        assertThat(Run.of("records", "-f", file, "-n", "lab").err().lines())
                .contains("warning: no object that has records is in the namespace lab");
        assertThat(Run.of("records", "-f", file, "-n", "labs").err()).doesNotContain("is in the namespace");
    }

    @Test
    void objectsThatNameNoNamespaceMayBeMeant() throws IOException {
        String file = Files.writeString(
                        folder.resolve("w.yaml"),
                        "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}\n")
                .toString();
        assertThat(Run.of("records", "-f", file, "-n", "prod").err().lines())
                .contains(
                        "warning: no object that has records is in the namespace prod (namespaces: default); objects that "
                                + "name no namespace are in it with --default-namespace prod");
        assertThat(Run.of("records", "-f", file, "-n", "prod", "--default-namespace", "stage")
                        .err())
                .contains("namespace prod (namespaces: stage)")
                .doesNotContain("--default-namespace");
    }

    @Test
    void labelsThatSelectNothingAreReported() {
        String warning = "warning: --labels selects no Service or Pod";
        assertThat(Run.of("records", "-f", Run.BOOKSTORE, "-l", "nosuch=label")
                        .err()
                        .lines())
                .containsOnlyOnce(warning);
        assertThat(Run.of("records", "-f", Run.BOOKSTORE, "-l", "nosuch=label", "-n", "shop")
                        .err()
                        .lines())
                .containsOnlyOnce(warning);
        assertThat(Run.of("records", "-f", Run.BOOKSTORE, "-l", "app=db").err()).doesNotContain(warning);
        assertThat(Run.of("records", "-f", Run.BOOKSTORE, "-l", "app=db", "-n", "nosuch")
                        .err())
                .contains("is in the namespace nosuch")
                .doesNotContain(warning);
    }

    @Test
    void aFewNamespacesAreListed() {
        assertThat(EmptyNamespaces.warnings(
                        List.of("prdo", "b", "prdo", "x"),
                        Set.of("b"),
                        () -> List.of("g", "f", "prod", "e", "d", "c", "b")))
                .containsExactly(
                        "warning: no object that has records is in the namespace prdo, did you mean prod? "
                                + "(namespaces: b, c, d, e, f and 2 more)",
                        "warning: no object that has records is in the namespace x (namespaces: b, c, d, e, f and 2 more)");
        assertThat(EmptyNamespaces.warnings(List.of("prdo"), Set.of(), List::of))
                .containsExactly("warning: no object that has records is in the namespace prdo");
    }

    private Run live(String... arguments) throws IOException {
        return Run.of(
                List.of("records", "--startup-timeout", "120", "--kubeconfig", kubeconfig(TOKEN), "-o", "name"),
                arguments);
    }

    @Test
    void aMisspeltNamespaceOfALiveClusterIsReported() throws IOException {
        api.hideSingleNamespaces();
        Run run = live("-n", "shpo");
        assertThat(run.err().lines()).containsExactly(OF_MANIFESTS);
        assertThat(run.code()).isZero();
    }

    @Test
    void theSideOfALiveClusterIsNamed() throws IOException {
        api.hideSingleNamespaces();
        Run run = Run.of(
                "diff", "--startup-timeout", "120", "--kubeconfig", kubeconfig(TOKEN), "-n", "shpo", "live", "live");
        assertThat(run.err().lines())
                .containsExactly(
                        OF_MANIFESTS.replace("warning: ", "warning: A: "),
                        OF_MANIFESTS.replace("warning: ", "warning: B: "),
                        "k8sdns diff: nothing is compared, because no object of A or B with --namespace has a record");
    }

    @Test
    void theNamespacesOfALiveClusterAreListedOnlyForAWarning() throws IOException {
        api.refuseNamespaces();
        assertThat(live("-n", "shop").err()).isEmpty();
        assertThat(live("-n", "shop", "-l", "app=none").err()).isEmpty();
        assertThat(live("-n", "shpo").err())
                .isEqualToIgnoringNewLines("warning: no object that has records is in the namespace shpo");
    }
}
