package io.k8sdns.autopath;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.resolver.Shop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;

class PodNamespacesTest {
    private final List<List<ClusterChange>> passedOn = new ArrayList<>();
    private final List<SyncState> states = new ArrayList<>();
    private final PodNamespaces pods = new PodNamespaces(new ClusterSource.Sink() {
        @Override
        public void changed(List<ClusterChange> batch) {
            passedOn.add(batch);
        }

        @Override
        public void stateChanged(SyncState state) {
            states.add(state);
        }

        @Override
        public void diagnosed(Diagnostic diagnostic) {}
    });

    @Test
    void namespaceIsThatOfThePodWithTheAddress() {
        put(Pod.running("shop", "web-0", "10.244.0.1", "fd00::1"));

        assertThat(pods.of(client("10.244.0.1"))).contains("shop");
        assertThat(pods.of(client("fd00::1"))).contains("shop");
        assertThat(pods.of(client("10.244.0.2"))).isEmpty();
        assertThat(pods.of(Client.IN_PROCESS)).isEmpty();
    }

    @Test
    void namespaceOfTheHostTakesPrecedence() {
        put(Pod.running("shop", "web-0", "10.244.0.1"));

        assertThat(pods.of(client("10.244.0.1").toBuilder().namespace("prod").build()))
                .contains("prod");
    }

    @Test
    void podsOnTheNetworkOfTheirNodeHaveNoNamespace() {
        put(Pod.builder("kube-system", "proxy")
                .hostNetwork(true)
                .ips("192.0.2.7")
                .build());
        put(Pod.running("kube-system", "web-0", "192.0.2.7"));

        assertThat(pods.of(client("192.0.2.7"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ClusterFirst", "ClusterFirstWithHostNet"})
    void podsWithAPolicyOfTheClusterHaveANamespace(String policy) {
        put(webPod().dnsPolicy(policy).os("linux").build());

        assertThat(pods.of(client("10.244.0.1"))).contains("shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Default", "None", "ClusterFirstWithAutopath", "Custom", "clusterfirst"})
    void podsWithAnotherPolicyHaveNoNamespace(String policy) {
        put(webPod().dnsPolicy(policy).build());

        assertThat(pods.of(client("10.244.0.1"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"windows", "Windows", "plan9"})
    void podsOfOtherOperatingSystemsHaveNoNamespace(String os) {
        put(webPod().os(os).build());

        assertThat(pods.of(client("10.244.0.1"))).isEmpty();
    }

    @Test
    void podsWithTheirOwnSearchDomainsHaveNoNamespace() {
        put(webPod().dnsConfig(new DnsConfig(List.of(), List.of("example.com"), List.of()))
                .build());

        assertThat(pods.of(client("10.244.0.1"))).isEmpty();
    }

    @Test
    void podsWithADnsConfigWithoutSearchDomainsHaveTheirNamespace() {
        put(webPod().dnsConfig(new DnsConfig(List.of("192.0.2.53"), List.of(), List.of(DnsConfig.Option.of("edns0"))))
                .build());

        assertThat(pods.of(client("10.244.0.1"))).contains("shop");
    }

    @Test
    void addressHasANamespaceAsSoonAsEveryPodHasTheSearchList() {
        put(webPod().build());
        Pod other = Pod.builder("shop", "web-1")
                .ips("10.244.0.1")
                .dnsPolicy(DnsPolicy.NONE)
                .build();
        put(other);
        assertThat(pods.of(client("10.244.0.1"))).isEmpty();

        put(other.toBuilder().dnsPolicy(DnsPolicy.CLUSTER_FIRST).build());
        assertThat(pods.of(client("10.244.0.1"))).contains("shop");
    }

    private static Pod.Builder webPod() {
        return Pod.builder("shop", "web-0").ips("10.244.0.1");
    }

    @Test
    void addressOfTwoNamespacesHasNoneUntilOnePodIsRemoved() {
        Pod before = Pod.running("shop", "web-0", "10.244.0.1");
        put(before);
        put(Pod.running("prod", "db-0", "10.244.0.1"));
        assertThat(pods.of(client("10.244.0.1"))).isEmpty();

        pods.changed(List.of(new ClusterChange.Remove(before.ref(), Optional.empty())));

        assertThat(pods.of(client("10.244.0.1"))).contains("prod");
    }

    @Test
    void podsWithoutAPodNameReleaseTheirAddress() {
        for (PodPhase phase : List.of(PodPhase.SUCCEEDED, PodPhase.FAILED, PodPhase.UNKNOWN)) {
            put(Pod.running("shop", "job-0", "10.244.0.1"));
            put(Pod.builder("shop", "job-0").phase(phase).ips("10.244.0.1").build());
            assertThat(pods.of(client("10.244.0.1"))).isEmpty();
        }
    }

    @Test
    void changedPodReleasesItsFormerAddress() {
        put(Pod.running("shop", "web-0", "10.244.0.1"));
        put(Pod.running("shop", "web-0", "10.244.0.2"));

        assertThat(pods.of(client("10.244.0.1"))).isEmpty();
        assertThat(pods.of(client("10.244.0.2"))).contains("shop");
    }

    @Test
    void lateRemovalDoesNotRemoveTheSuccessor() {
        Pod successor = Pod.builder(new Metadata("shop", "web-0", Optional.of("2"), Labels.NONE))
                .ips("10.244.0.1")
                .build();
        put(successor);

        pods.changed(List.of(new ClusterChange.Remove(successor.ref(), Optional.of("1"))));
        assertThat(pods.of(client("10.244.0.1"))).contains("shop");

        pods.changed(List.of(new ClusterChange.Remove(successor.ref(), Optional.of("2"))));
        assertThat(pods.of(client("10.244.0.1"))).isEmpty();
    }

    @Test
    void everythingIsPassedOn() {
        List<ClusterChange> batch = List.of(new ClusterChange.Put(Namespace.of("shop")));

        pods.changed(batch);
        pods.stateChanged(SyncState.SYNCED);

        assertThat(passedOn).containsExactly(batch);
        assertThat(states).containsExactly(SyncState.SYNCED);
    }

    @Test
    void resolverExpandsNamesOfAPodByItsAddress() throws Exception {
        AutopathResolver resolver = AutopathResolver.builder(ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS)))
                .byPod(pods::of)
                .build();
        put(Pod.running("bare", "web-0", "10.244.0.1"));
        Question question = Question.of("cart.shop.bare.svc.cluster.local.", RecordType.A);

        assertThat(answer(resolver, question, "10.244.0.1").cnames())
                .containsExactly(Name.fromString("cart.shop.svc.cluster.local."));
        assertThat(answer(resolver, question, "10.244.0.2").cnames()).isEmpty();
    }

    private static Answer answer(AutopathResolver resolver, Question question, String address) {
        return resolver.resolve(question, client(address))
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private void put(Pod pod) {
        pods.changed(List.of(new ClusterChange.Put(pod)));
    }

    private static Client client(String address) {
        try {
            return Client.udp(new InetSocketAddress(InetAddress.getByName(address), 40_000));
        } catch (UnknownHostException notAnAddress) {
            throw new AssertionError(notAnAddress);
        }
    }
}
