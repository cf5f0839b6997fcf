package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code explain} with the objects of a live cluster. */
@Timeout(300)
class ExplainLiveTest extends LiveTestBase {
    private String config;

    @BeforeEach
    void addAServiceWithAMisspeltSelector() throws IOException {
        config = kubeconfig(TOKEN);
        api.serviceWithSelector("shop", "web", "{\"app\": \"wbe\"}");
        api.pod("shop", "web-0", "10.244.0.10", "{\"app\": \"web\"}");
    }

    private Run explain(String... more) {
        return Run.of(List.of("explain", "--startup-timeout", "120", "--kubeconfig", config), more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"disabled", "insecure", "verified"})
    void podsAreReadWhateverNamesTheyHave(String pods) {
        Run run = explain("--pods", pods, "web.shop");

        assertThat(run.out()).as(run.err()).contains("matches no Pod; the nearest is Pod shop/web-0");
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    @Test
    void withoutPermissionToListPodsNoCauseAssumesThatThereIsNone() {
        api.refusePods();

        assertThat(explain("web.shop").out()).contains("because: ").doesNotContain("no Pod");
        assertThat(explain("10-244-0-10.shop.pod").out()).contains("NXDOMAIN").doesNotContain("no Pod");
    }

    @Test
    void withoutPermissionToListPodsAPodCannotLookUp() {
        api.refusePods();

        Run run = explain("--from", "shop/web-0", "cart");

        assertThat(run.err())
                .contains(
                        "k8sdns explain: --from shop/web-0: the Pods of the cluster are not known without permission to list "
                                + "and watch pods; --from shop needs none");
        assertThat(run.code()).isEqualTo(Main.NO_RESULT);
        assertThat(explain("--from", "shop", "cart").code()).isEqualTo(Main.DONE);
    }

    @Test
    void objectsThatOptionsHideExist() {
        api.hideLabelled();

        assertThat(explain("-l", "app=web", "cart.shop").out())
                .contains("because: Service shop/cart, metadata.labels: hidden, because")
                .doesNotContain("no such");
        assertThat(explain("--namespace-labels", "team=web", "cart.shop").out())
                .contains("because: Namespace shop: hidden, because")
                .doesNotContain("no such");
    }

    @Test
    void namespacesThatAreNotChosenExist() {
        api.hideSingleNamespaces();

        assertThat(explain("-n", "lab", "cart.shop").out())
                .contains("because: Namespace shop: hidden, because")
                .doesNotContain("no such");
        assertThat(explain("-n", "lab", "cart.shpo").out()).contains("because: Namespace shpo: no such Namespace");
    }

    @Test
    void namespacesThatMayNotBeListedAreNotMissing() {
        api.refuse("namespaces");

        assertThat(explain("-n", "shop", "web.lab").out())
                .contains("because: Namespace lab: not read, because of --namespace")
                .doesNotContain("no such");
    }

    @Test
    void aRoleInANamespaceIsEnoughForItsNames() {
        api.refuse("namespaces");

        Run run = explain("-n", "shop", "cart.shop");

        assertThat(run.out()).as(run.err()).contains("cart.shop.svc.cluster.local. (A) resolves");
        assertThat(run.code()).isEqualTo(Main.DONE);
    }

    @Test
    void missingPermissionEndsTheCommandSoonAndNamesTheObjects() {
        api.refuse("services");

        Run run = Run.of("explain", "--startup-timeout", "86400", "--kubeconfig", config, "cart.shop");

        assertThat(run.err().lines())
                .last()
                .isEqualTo("k8sdns explain: no permission at the API server " + api.url() + " (context 'here' in "
                        + config + "): services: 403 no; -n NAMESPACE reads only one namespace");
        assertThat(run.code()).isEqualTo(Main.NO_RESULT);
    }

    @Test
    void workloadsLookUpAsTheirFirstPod() {
        api.pod("shop", "api-7d9f8c6b5-x2bqz", "10.244.0.11", "{\"pod-template-hash\": \"7d9f8c6b5\"}");
        api.pod("shop", "store-1", "10.244.0.12", "{\"statefulset.kubernetes.io/pod-name\": \"store-1\"}");

        Run deployment = explain("--from", "shop/api", "cart");
        assertThat(deployment.err()).contains("note: --from shop/api: Pod shop/api-7d9f8c6b5-x2bqz");
        assertThat(deployment.out()).contains("cart.shop.svc.cluster.local.: NOERROR");
        assertThat(explain("--from", "shop/store", "cart").err()).contains("note: --from shop/store: Pod shop/store-1");
        assertThat(explain("--from", "shop/web", "cart").err()).contains("--from: no Pod shop/web");
    }
}
