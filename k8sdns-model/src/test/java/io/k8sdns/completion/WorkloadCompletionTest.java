package io.k8sdns.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Node;
import io.k8sdns.model.NodePlacement;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the Pods of workloads other than StatefulSets, which {@link CompletionTest} checks. */
class WorkloadCompletionTest {
    private static final Labels WEB = Labels.parse("app=web");
    private static final Labels WEB_OF_DEPLOYMENT = Labels.parse("app=web,pod-template-hash=6d4cf56db6");

    @ParameterizedTest
    @ValueSource(
            strings = {ReplicaWorkload.DEPLOYMENT, ReplicaWorkload.REPLICA_SET, ReplicaWorkload.REPLICATION_CONTROLLER})
    void replicasGetAddressesWithoutHostnames(String kind) {
        Completion.Result result = applied(List.of(replicas(kind, 2, PodTemplate.of(WEB))), headless());
        assertThat(pods(result)).allSatisfy(pod -> {
            assertThat(pod.hostname()).isEmpty();
            assertThat(pod.labels()).isEqualTo(WEB);
            assertThat(pod.ready()).contains(true);
        });
        assertThat(endpoints(result))
                .hasSize(2)
                .allMatch(endpoint -> endpoint.hostname().isEmpty());
        assertThat(texts(result)).contains(kind + " shop/web: completed: 2 Pods, whose names are invented");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aServiceOfAWorkloadWithoutReplicasIsReported(int count) {
        String note = "Service shop/web: selects the Pods of Deployment shop/web, which has none: spec.replicas is 0";
        ReplicaWorkload idle = replicas(ReplicaWorkload.DEPLOYMENT, count, PodTemplate.of(WEB));
        assertThat(texts(applied(List.of(idle), headless())).contains(note)).isEqualTo(count == 0);
        ReplicaWorkload other = replicas(ReplicaWorkload.DEPLOYMENT, 0, PodTemplate.of("app=other"));
        assertThat(texts(applied(List.of(other), headless()))).doesNotContain(note);
    }

    @Test
    void aServiceOfAJobThatHasNoPodsYetIsReported() {
        CronJob nightly = new CronJob(Metadata.of("shop", "nightly"), false, PodTemplate.of(WEB));
        assertThat(texts(applied(List.of(nightly), headless())))
                .contains("Service shop/web: selects the Pods of CronJob shop/nightly, which has none: its schedule has"
                        + " not started a Job");
        CronJob suspended = new CronJob(Metadata.of("shop", "nightly"), true, PodTemplate.of(WEB));
        assertThat(texts(applied(List.of(suspended), headless())))
                .contains(
                        "CronJob shop/nightly: no Pod: spec.suspend is true, so that its schedule starts no Job",
                        "Service shop/web: selects the Pods of CronJob shop/nightly, which has none: spec.suspend is"
                                + " true, so that its schedule starts no Job");
        HeadlessService ofJob =
                HeadlessService.builder("shop", "web").selector("job-name=load").build();
        String note = "Service shop/web: selects the Pods of Job shop/load, which has none: spec.parallelism is" + " 0";
        assertThat(texts(applied(List.of(job("load", 0, false, PodTemplate.of("a=b"))), ofJob)))
                .contains(note);
        assertThat(texts(applied(List.of(job("load", 1, false, PodTemplate.of("a=b"))), ofJob)))
                .doesNotContain(note);
    }

    @Test
    void aWorkloadWithoutReplicasHasTheCompletedPodOfOne() {
        StatefulSet db = StatefulSet.builder("shop", "db").replicas(0).build();
        ReplicaWorkload web = replicas(ReplicaWorkload.DEPLOYMENT, 0, PodTemplate.of(WEB));
        Completion.Result result = applied(List.of(web, db));
        assertThat(result.snapshot().idleWorkloads())
                .extracting(one -> one.workload().ref(), IdleWorkload::field, IdleWorkload::reason)
                .containsExactly(
                        tuple(db.ref(), "spec.replicas", "spec.replicas is 0"),
                        tuple(web.ref(), "spec.replicas", "spec.replicas is 0"));
        assertThat(result.snapshot().idleWorkloads())
                .allSatisfy(one -> assertThat(one.firstPod()).hasValueSatisfying(pod -> {
                    assertThat(pod.ready()).contains(true);
                    assertThat(pod.ips()).hasSize(1);
                    assertThat(pod.workload()).contains(one.workload().ref());
                }));
        assertThat(pods(result)).isEmpty();
        PodTemplate inHostNetwork = PodTemplate.builder().hostNetwork(true).build();
        assertThat(applied(List.of(replicas(ReplicaWorkload.DEPLOYMENT, 0, inHostNetwork)))
                        .snapshot()
                        .idleWorkloads())
                .singleElement()
                .satisfies(one -> assertThat(one.firstPod().orElseThrow().ips()).hasSize(1));
    }

    @Test
    void aJobWithoutPodsHasThePodThatOneChangeGives() {
        Job suspended = new Job(Metadata.of("shop", "a"), 2, Optional.empty(), true, true, PodTemplate.of(WEB));
        Job none = new Job(Metadata.of("shop", "b"), 1, Optional.of(0), false, false, PodTemplate.of(WEB));
        Job both = new Job(Metadata.of("shop", "c"), 0, Optional.empty(), true, false, PodTemplate.of(WEB));
        assertThat(applied(List.of(suspended, none, both)).snapshot().idleWorkloads())
                .extracting(
                        IdleWorkload::field,
                        IdleWorkload::reason,
                        IdleWorkload::remedy,
                        one -> one.firstPod().flatMap(Pod::hostname),
                        one -> one.firstPod().isPresent())
                .containsExactly(
                        tuple(
                                "spec.suspend",
                                "spec.suspend is true",
                                "set spec.suspend of Job shop/a to false",
                                Optional.of("a-0"),
                                true),
                        tuple(
                                "spec.completions",
                                "spec.completions is 0",
                                "set spec.completions of Job shop/b to 1",
                                Optional.empty(),
                                true),
                        tuple("", "spec.suspend is true and spec.parallelism is 0", "", Optional.empty(), false));
    }

    @Test
    void aDeploymentThatIsPausedAtFirstHasNoPods() {
        Completion.Result result = applied(List.of(paused(2)));
        assertThat(pods(result)).isEmpty();
        assertThat(texts(result)).contains("Deployment shop/web: no Pod: spec.paused is true");
        assertThat(result.snapshot().idleWorkloads())
                .singleElement()
                .matches(one -> one.field().equals("spec.paused")
                        && one.remedy().equals("set spec.paused of Deployment shop/web to false")
                        && one.firstPod().isPresent());
        assertThat(applied(List.of(paused(0))).snapshot().idleWorkloads())
                .as("no change of one field gives it a Pod")
                .singleElement()
                .matches(one -> one.reason().equals("spec.paused is true and spec.replicas is 0")
                        && one.remedy().isEmpty());
        Pod given = Pod.builder("shop", "web-x").labels(WEB_OF_DEPLOYMENT).build();
        assertThat(applied(List.of(paused(2)), given).snapshot().idleWorkloads())
                .isEmpty();
    }

    @Test
    void aWorkloadWhosePodsAreRefusedOrHaveNoNodeHasNone() {
        assertThat(texts(applied(List.of(job("a.b", 2, true, PodTemplate.of(WEB))), headless())))
                .anyMatch(text -> text.startsWith("Service shop/web: selects the Pods of Job shop/a.b, which has none:"
                        + " Kubernetes would refuse them: "));
        PodTemplate onLinux = PodTemplate.builder()
                .labels(WEB)
                .nodeSelector(Labels.parse("os=linux"))
                .build();
        String note =
                "Service shop/web: selects the Pods of DaemonSet shop/web, which has none: its template allows none"
                        + " of the Nodes; Node n2 lacks the labels {os=linux}";
        Node windows = node("n2", "os=windows", "192.0.2.2");
        assertThat(texts(applied(List.of(daemonSet(onLinux)), headless(), windows)))
                .contains(note);
        assertThat(texts(applied(List.of(daemonSet(onLinux)), windows)))
                .contains("DaemonSet shop/web: no Pod: its template allows none of the Nodes; Node n2 lacks the labels"
                        + " {os=linux}");
        assertThat(texts(applied(List.of(daemonSet(onLinux)), headless()))).doesNotContain(note);
    }

    @Test
    void aStatefulSetThatWaitsForAPodIsReported() {
        StatefulSet ordered = StatefulSet.builder("shop", "db").replicas(3).build();
        String note = "StatefulSet shop/db: a cluster makes the Pods after db-0 only when it is ready"
                + " (spec.podManagementPolicy is OrderedReady)";
        assertThat(notes(ordered, Readiness.NONE)).contains(note);
        assertThat(notes(ordered, Readiness.ALL)).doesNotContain(note);
        assertThat(notes(ordered.toBuilder().parallel(true).build(), Readiness.NONE))
                .doesNotContain(note);
        assertThat(notes(ordered.toBuilder().replicas(1).build(), Readiness.NONE))
                .doesNotContain(note);
    }

    @Test
    void aStatefulSetThatWaitsForAGivenPodIsReported() {
        StatefulSet ordered =
                StatefulSet.builder("shop", "db").replicas(4).service("db").build();
        Pod first = Pod.builder("shop", "db-0").ready(true).build();
        Pod second = Pod.builder("shop", "db-1").ready(false).build();
        String note = "StatefulSet shop/db: a cluster makes the Pods after db-1 only when it is ready"
                + " (spec.podManagementPolicy is OrderedReady)";
        assertThat(texts(applied(List.of(ordered), first, second))).contains(note);
        assertThat(texts(applied(List.of(ordered), first))).doesNotContain(note);
        assertThat(texts(applied(List.of(ordered.toBuilder().replicas(2).build()), first, second)))
                .as("no Pod is made after it")
                .doesNotContain(note);
    }

    private static List<String> notes(StatefulSet set, Readiness readiness) {
        return texts(applied(set, readiness));
    }

    private static Completion.Result applied(Workload workload, Readiness readiness) {
        return Completion.asApplied(
                new ClusterDraft(List.of(), List.of(), List.of(workload)), Addressing.DEFAULTS, readiness);
    }

    @Test
    void theNextPodsOfAStatefulSetAreThoseOfMoreReplicas() {
        StatefulSet db = StatefulSet.builder("shop", "db")
                .replicas(2)
                .firstOrdinal(1)
                .service("db")
                .build();
        ClusterSnapshot larger =
                applied(db.toBuilder().replicas(12).build(), Readiness.ALL).snapshot();
        assertThat(nextPods(db, Readiness.ALL))
                .hasSize(10)
                .containsExactlyElementsOf(IntStream.rangeClosed(3, 12)
                        .mapToObj(ordinal -> larger.get(ObjectRef.of("Pod", "shop", "db-" + ordinal)))
                        .map(pod -> (Pod) pod.orElseThrow())
                        .toList());
        Readiness lastIsNotReady = Readiness.ALL.with("db-2", false);
        assertThat(nextPods(db, lastIsNotReady)).as("it waits for db-2").isEmpty();
        assertThat(nextPods(db, Readiness.ALL.with("db-4", false)))
                .as("it would wait for db-4")
                .extracting(Pod::name)
                .containsExactly("db-3", "db-4");
        StatefulSet parallel = db.toBuilder().parallel(true).build();
        assertThat(nextPods(parallel, lastIsNotReady)).hasSize(10);
    }

    @Test
    void theNextPodOfAnIndexedJobIsThatOfALargerParallelism() {
        Job job = new Job(Metadata.of("shop", "load"), 2, Optional.of(3), false, true, PodTemplate.of(WEB));
        assertThat(nextPods(job)).extracting(Pod::hostname).containsExactly(Optional.of("load-2"));
        assertThat(nextPods(job))
                .allMatch(pod -> pod.ready().orElse(false) && !pod.ips().isEmpty());
        assertThat(nextPods(job.withParallelism(3))).as("these are all").isEmpty();
        assertThat(applied(job, Readiness.ALL).snapshot().nextPods()).hasSize(1);
        Job suspended = new Job(job.metadata(), 2, Optional.of(3), true, true, job.template());
        Job notIndexed = new Job(job.metadata(), 2, Optional.of(3), false, false, job.template());
        for (Job other : List.of(suspended, notIndexed)) {
            assertThat(applied(other, Readiness.ALL).snapshot().nextPods()).isEmpty();
        }
    }

    private static List<Pod> nextPods(Job job) {
        return Objects.requireNonNull(
                applied(job, Readiness.ALL).snapshot().nextPods().get(job));
    }

    private static List<Pod> nextPods(StatefulSet set, Readiness readiness) {
        return Objects.requireNonNull(
                applied(set, readiness).snapshot().nextPods().get(set));
    }

    @Test
    void theControllerOfAStatefulSetWaitsForTheFirstPodThatIsNotReady() {
        StatefulSet db = StatefulSet.builder("shop", "db").replicas(3).build();
        Readiness readiness = Readiness.ALL.with("db-1", false).with("db-2", false);
        assertThat(applied(db, readiness).snapshot().blockingPods())
                .hasEntrySatisfying(db.ref(), pod -> assertThat(pod.name()).isEqualTo("db-1"));
        assertThat(applied(db, Readiness.ALL).snapshot().blockingPods()).isEmpty();
        StatefulSet parallel = db.toBuilder().parallel(true).build();
        assertThat(applied(parallel, readiness).snapshot().blockingPods()).isEmpty();
    }

    @Test
    void theWorkloadOfAPredictedPodIsKnown() {
        Pod given = Pod.builder("shop", "web-x").labels(WEB_OF_DEPLOYMENT).build();
        ReplicaWorkload deployment = replicas(ReplicaWorkload.DEPLOYMENT, 2, PodTemplate.of(WEB));
        assertThat(pods(applied(List.of(deployment), given)))
                .extracting(Pod::workload)
                .containsExactlyInAnyOrder(Optional.empty(), Optional.of(deployment.ref()));
    }

    @Test
    void allPodsOfADeploymentShareTheHostnameOfTheTemplate() {
        PodTemplate template = PodTemplate.builder()
                .labels(WEB)
                .hostname("front")
                .subdomain("web")
                .port(new ContainerPort("http", Protocol.TCP, 8080))
                .build();
        Completion.Result result = applied(List.of(replicas(ReplicaWorkload.DEPLOYMENT, 2, template)), headless());
        assertThat(endpoints(result)).extracting(Endpoint::hostname).containsOnly(Optional.of("front"));
        assertThat(pods(result)).extracting(Pod::subdomain).containsOnly(Optional.of("web"));
        assertThat(pods(result)).allMatch(pod -> pod.ports().size() == 1);
    }

    @Test
    void aReplicaSetOfADeploymentMakesNoPodsOfItsOwn() {
        ReplicaWorkload deployment = replicas(ReplicaWorkload.DEPLOYMENT, 2, PodTemplate.of(WEB));
        ReplicaWorkload owned = new ReplicaWorkload(
                ReplicaWorkload.REPLICA_SET,
                Metadata.of("shop", "web-5d4"),
                2,
                false,
                false,
                WEB,
                Optional.of("web"),
                PodTemplate.of(WEB));
        assertThat(pods(applied(List.of(deployment, owned)))).hasSize(2);
        assertThat(pods(applied(List.of(owned)))).hasSize(2);
    }

    @Test
    void givenPodsWithTheLabelsCountUnlessTheyHaveEnded() {
        ReplicaWorkload deployment = replicas(ReplicaWorkload.DEPLOYMENT, 2, PodTemplate.of(WEB));
        Pod running = Pod.builder("shop", "web-x").labels(WEB_OF_DEPLOYMENT).build();
        assertThat(pods(applied(List.of(deployment), running))).hasSize(2).contains(completed(running));
        Pod failed = running.toBuilder().phase(PodPhase.FAILED).build();
        assertThat(pods(applied(List.of(deployment), failed))).hasSize(3);
        Pod ending = running.toBuilder().terminating(true).build();
        assertThat(pods(applied(List.of(deployment), ending))).hasSize(3);
        Pod inOtherNamespace =
                Pod.builder("other", "web-x").labels(WEB_OF_DEPLOYMENT).build();
        assertThat(pods(applied(List.of(deployment), inOtherNamespace))).hasSize(3);
    }

    private static Pod completed(Pod pod) {
        return pods(applied(List.of(), pod)).get(0);
    }

    @Test
    void aDeploymentHasAllItsPodsBesideAPodWithTheLabelsOfItsSelector() {
        Pod test = Pod.builder("shop", "web-test").labels(WEB).build();
        assertThat(pods(applied(List.of(replicas(ReplicaWorkload.DEPLOYMENT, 1, PodTemplate.of(WEB))), test)))
                .extracting(Pod::name)
                .containsExactlyInAnyOrder("web-test", "web-deployment-1");
        assertThat(pods(applied(List.of(replicas(ReplicaWorkload.REPLICA_SET, 1, PodTemplate.of(WEB))), test)))
                .as("a ReplicaSet adopts the Pod")
                .extracting(Pod::name)
                .containsExactly("web-test");
    }

    @Test
    void anInventedPodNameDiffersFromAllOthers() {
        Pod given = Pod.builder("shop", "web-deployment-1").build();
        StatefulSet set = StatefulSet.builder("shop", "web-deployment")
                .firstOrdinal(2)
                .replicas(1)
                .build();
        List<Pod> pods =
                pods(applied(List.of(replicas(ReplicaWorkload.DEPLOYMENT, 3, PodTemplate.of(WEB)), set), given));
        assertThat(pods.stream().filter(pod -> pod.labels().equals(WEB))).hasSize(3);
        assertThat(pods).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {253, 242, 241, 240, 63})
    void theLongestNameStillGetsPods(int length) {
        String name = "a." + "b".repeat(length - 2);
        ReplicaWorkload deployment = new ReplicaWorkload(
                ReplicaWorkload.DEPLOYMENT,
                Metadata.of("shop", name),
                11,
                false,
                false,
                WEB,
                Optional.empty(),
                PodTemplate.of(WEB));
        assertThat(pods(applied(List.of(deployment)))).hasSize(11);
    }

    @Test
    void aDaemonSetHasAPodOnEachNodeThatItsTemplateAllows() {
        Node linux = node("n1", "os=linux", "192.0.2.1");
        Node windows = node("n2", "os=windows", "192.0.2.2");
        PodTemplate anywhere =
                PodTemplate.builder().labels(WEB).hostNetwork(true).build();
        assertThat(pods(applied(List.of(daemonSet(anywhere)), linux, windows)))
                .extracting(Pod::nodeName, Pod::ips)
                .containsExactly(
                        tuple(Optional.of("n1"), linux.internalIps()), tuple(Optional.of("n2"), windows.internalIps()));
        PodTemplate onLinux =
                anywhere.toBuilder().nodeSelector(Labels.parse("os=linux")).build();
        assertThat(pods(applied(List.of(daemonSet(onLinux)), linux, windows)))
                .extracting(Pod::nodeName)
                .containsExactly(Optional.of("n1"));
        PodTemplate onSecond = anywhere.toBuilder().nodeName("n2").build();
        assertThat(pods(applied(List.of(daemonSet(onSecond)), linux, windows)))
                .extracting(Pod::nodeName)
                .containsExactly(Optional.of("n2"));
        Pod given = Pod.builder("shop", "web-x").labels(WEB).nodeName("n1").build();
        assertThat(pods(applied(List.of(daemonSet(anywhere)), linux, windows, given)))
                .hasSize(2);
    }

    @Test
    void aDaemonSetOnTheHostNetworkHasAnAddressWithoutNodes() {
        PodTemplate template =
                PodTemplate.builder().labels(WEB).hostNetwork(true).build();
        Completion.Result result = applied(List.of(daemonSet(template)), headless());
        assertThat(pods(result))
                .singleElement()
                .satisfies(pod -> assertThat(pod.ips()).hasSize(1).allMatch(result.invented()::contains));
        assertThat(texts(result)).anyMatch(text -> text.contains("in place of its Node's"));
    }

    @Test
    void theTaintedNodesOfADaemonSetAreCounted() {
        Node.Taint taint = new Node.Taint("dedicated", "db", "NoSchedule");
        Node first = node("n1", "os=linux", "192.0.2.1").toBuilder()
                .taints(List.of(taint))
                .build();
        Node second = Node.builder("n2").taints(List.of(taint)).build();
        Node third = Node.builder("n3").taints(List.of(taint)).build();
        String note =
                "DaemonSet shop/web: no Pod on Node n1, because it does not tolerate the taint dedicated=db:NoSchedule";
        DaemonSet set = daemonSet(PodTemplate.of(WEB));
        assertThat(texts(applied(List.of(set), first)))
                .contains(note)
                .noneMatch(text -> text.contains("allows none of the Nodes"));
        assertThat(texts(applied(List.of(set), first, second))).contains(note + "; nor on 1 other tainted Node");
        assertThat(texts(applied(List.of(set), first, second, third)))
                .contains(note + "; nor on 2 other tainted Nodes");
        // A Pod that runs there is not contradicted, and without Nodes there are no taints.
        Pod given = Pod.builder("shop", "web-x").labels(WEB).nodeName("n1").build();
        assertThat(texts(applied(List.of(set), first, given))).noneMatch(text -> text.contains("taint"));
    }

    @Test
    void withoutNodesADaemonSetHasOnePod() {
        assertThat(pods(applied(List.of(daemonSet(PodTemplate.of(WEB)))))).hasSize(1);
    }

    @Test
    void anIndexedJobHasHostnamesAndAJobHasNone() {
        PodTemplate template =
                PodTemplate.builder().labels(WEB).subdomain("web").build();
        Completion.Result indexed = applied(List.of(job("train", 2, true, template)), headless());
        assertThat(endpoints(indexed))
                .extracting(Endpoint::hostname)
                .containsExactly(Optional.of("train-0"), Optional.of("train-1"));
        assertThat(pods(indexed)).allMatch(pod -> pod.labels().get("job-name").equals(Optional.of("train")));
        Completion.Result plain = applied(List.of(job("train", 2, false, template)), headless());
        assertThat(pods(plain)).hasSize(2).allMatch(pod -> pod.hostname().isEmpty());
        assertThat(pods(plain))
                .allMatch(pod -> pod.labels()
                        .get("batch.kubernetes.io/job-completion-index")
                        .isEmpty());
    }

    @Test
    void anIndexedJobWhoseHostnamesKubernetesWouldRefuseHasNoPods() {
        Completion.Result result = applied(List.of(job("a.b", 2, true, PodTemplate.of(WEB))));
        assertThat(pods(result)).isEmpty();
        assertThat(texts(result)).anyMatch(text -> text.contains("Kubernetes would refuse its Pods"));
    }

    @Test
    void aCronJobAndASuspendedJobHaveNoPodsAndANote() {
        Completion.Result result = applied(List.of(
                new CronJob(Metadata.of("shop", "nightly"), false, PodTemplate.of(WEB)),
                new Job(Metadata.of("shop", "paused"), 2, Optional.of(0), true, false, PodTemplate.of(WEB))));
        assertThat(pods(result)).isEmpty();
        assertThat(texts(result))
                .contains(
                        "CronJob shop/nightly: no Pod until its schedule starts a Job",
                        "Job shop/paused: no Pod: spec.suspend is true and spec.completions is 0");
    }

    @Test
    void readinessIsAssumedForNamesOfPodsAndWorkloads() {
        List<Workload> workloads = List.of(
                replicas(ReplicaWorkload.DEPLOYMENT, 1, PodTemplate.of(WEB)),
                StatefulSet.builder("shop", "db").replicas(2).build());
        assertThat(ready(workloads, Readiness.ALL)).hasSize(3);
        assertThat(ready(workloads, Readiness.NONE)).isEmpty();
        assertThat(ready(workloads, Readiness.ALL.with("db", false))).containsExactly("web-deployment-1");
        assertThat(ready(workloads, Readiness.NONE.with("shop/web", true))).containsExactly("web-deployment-1");
        assertThat(ready(workloads, Readiness.ALL.with("db", false).with("db-1", true)))
                .containsExactly("db-1", "web-deployment-1");
        assertThat(ready(workloads, Readiness.ALL.with("db", false).with("shop/db", true)))
                .hasSize(3);
        assertThat(ready(workloads, Readiness.ALL.with("other/db", false))).hasSize(3);
    }

    @Test
    void aReadyConditionOfTheManifestOverridesTheAssumedReadiness() {
        Pod notReady = Pod.builder("shop", "a").ready(false).build();
        Completion.Result result = Completion.asApplied(
                new ClusterDraft(List.of(notReady), List.of(), List.of()),
                Addressing.DEFAULTS,
                Readiness.NONE.with("a", true));
        assertThat(pods(result)).extracting(Pod::ready).containsExactly(Optional.of(false));
        assertThat(texts(result))
                .contains(
                        "Pod a: the assumed readiness has no effect: no Pod without conditions, and no workload, has this name");
    }

    private static List<String> ready(List<Workload> workloads, Readiness readiness) {
        Completion.Result result =
                Completion.asApplied(new ClusterDraft(List.of(), List.of(), workloads), Addressing.DEFAULTS, readiness);
        return pods(result).stream()
                .filter(pod -> pod.ready().orElseThrow())
                .map(Pod::name)
                .toList();
    }

    private static ReplicaWorkload replicas(String kind, int count, PodTemplate template) {
        return new ReplicaWorkload(
                kind, Metadata.of("shop", "web"), count, false, false, WEB, Optional.empty(), template);
    }

    private static ReplicaWorkload paused(int count) {
        return new ReplicaWorkload(
                ReplicaWorkload.DEPLOYMENT,
                Metadata.of("shop", "web"),
                count,
                true,
                false,
                WEB,
                Optional.empty(),
                PodTemplate.of(WEB));
    }

    private static DaemonSet daemonSet(PodTemplate template) {
        return new DaemonSet(Metadata.of("shop", "web"), WEB, template, NodePlacement.ANY);
    }

    @Test
    void aPodOnTheHostNetworkHasTheExternalAddressOfANodeWithoutInternalOne() {
        PodTemplate template =
                PodTemplate.builder().labels(WEB).hostNetwork(true).build();
        Node node = Node.builder("n1").externalIps("198.51.100.1").build();
        assertThat(pods(applied(List.of(daemonSet(template)), node)))
                .extracting(Pod::ips)
                .containsExactly(List.of(IpAddress.parse("198.51.100.1")));
    }

    private static Job job(String name, int pods, boolean indexed, PodTemplate template) {
        return new Job(Metadata.of("shop", name), pods, Optional.empty(), false, indexed, template);
    }

    private static Node node(String name, String labels, String address) {
        return Node.builder(name)
                .labels(labels)
                .internalIps(List.of(IpAddress.parse(address)))
                .build();
    }

    private static HeadlessService headless() {
        return HeadlessService.builder("shop", "web")
                .selector("app=web")
                .port(ServicePort.of("http", Protocol.TCP, 80))
                .build();
    }

    private static Completion.Result applied(List<Workload> workloads, ClusterObject... objects) {
        return Completion.asApplied(
                new ClusterDraft(List.of(objects), List.of(), workloads), Addressing.DEFAULTS, Readiness.ALL);
    }

    private static List<Pod> pods(Completion.Result result) {
        return result.snapshot().objects(Pod.class).toList();
    }

    private static List<Endpoint> endpoints(Completion.Result result) {
        return result.snapshot()
                .objects(EndpointSlice.class)
                .flatMap(slice -> slice.endpoints().stream())
                .toList();
    }

    private static List<String> texts(Completion.Result result) {
        return result.notes().stream().map(Diagnostic::toString).toList();
    }
}
