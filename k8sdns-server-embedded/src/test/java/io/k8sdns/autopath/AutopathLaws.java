package io.k8sdns.autopath;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.zone.ClusterZone;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** A server that expands the search list finds the same records as the client's resolver would, for every kind of resolver. */
class AutopathLaws {
    private static final DnsLabels ZONE = DnsLabels.parse("cluster.local");
    private static final List<DnsLabels> HOST = labels("corp.test", "example.com");

    /** The address of a Pod. */
    private static final String ADDRESS = "10.244.0.1";

    /** The longest line of resolv.conf that musl reads. */
    private static final int MUSL_LINE = 254;

    /** Search domains of nodes: none, some, one that the cluster has too, one of a single label, and more than musl reads. */
    private static final List<List<DnsLabels>> HOSTS = List.of(
            HOST,
            List.of(),
            labels("example.com", "corp.test"),
            labels("corp.test", "svc.cluster.local", "test"),
            Stream.concat(
                            Stream.of("corp.test"),
                            IntStream.range(1, 9).mapToObj(number -> "department-" + number + ".very-long-name.test"))
                    .map(DnsLabels::parse)
                    .toList());

    private static final List<String> NAMESPACES = List.of("shop", "prod", "web", "svc", "search");
    private static final List<String> SERVICES = List.of("web", "db", "shop", "prod", "search", "ext");

    /** Names that programs look up: short names, absolute names, and names that look like expanded names. */
    private static final List<String> NAMES = List.of(
            "web",
            "db",
            "search",
            "ext",
            "web.shop",
            "web.prod",
            "db.search",
            "db.svc",
            "ext.prod",
            "web.shop.svc",
            "db.prod.svc",
            "web.shop.svc.cluster.local",
            "db.prod.svc.cluster.local",
            "Web.Shop",
            "www.example.com",
            "api.corp.test",
            "web.corp",
            "a.b.c.d.e.example.com",
            "a.b.c.d.e.f",
            "web.search.shop.cluster.local.ap.k8s.io");

    /** Names that upstream servers can have; none has a single label. */
    private static final List<String> UPSTREAM = Stream.concat(
                    NAMES.stream().filter(name -> name.contains(".")),
                    Stream.of(
                            "web.corp.test",
                            "db.corp.test",
                            "web.example.com",
                            "web.shop.example.com",
                            "web.test",
                            "web.shop.test",
                            "db.department-2.very-long-name.test",
                            "web.department-8.very-long-name.test",
                            "www.example.com.department-7.very-long-name.test",
                            "www.example.com.corp.test",
                            "a.b.c.d.e.f.example.com"))
            .filter(name -> !name.endsWith("cluster.local") && !name.endsWith("ap.k8s.io"))
            .toList();

    /** A random cluster, and random names of upstream servers. */
    private static final class World {
        final ClusterZone zone;
        final ResolverChain chain;
        final String namespace;
        int lookups;
        final List<String> forwarded = new ArrayList<>();

        final List<DnsLabels> host;

        World(long seed) {
            this(seed, HOST);
        }

        World(long seed, List<DnsLabels> host) {
            this.host = host;
            Random random = new Random(seed);
            List<ClusterObject> objects = new ArrayList<>();
            int number = 1;
            for (String one : NAMESPACES) {
                objects.add(Namespace.of(one));
                for (String service : SERVICES) {
                    if (random.nextInt(3) == 0) {
                        objects.add(
                                service.equals("ext")
                                        ? ExternalNameService.of(one, service, "www.example.com")
                                        : ClusterIpService.of(one, service, addresses(number++, random), List.of()));
                    }
                }
            }
            Set<DnsLabels> known = new HashSet<>();
            for (String name : UPSTREAM) {
                if (random.nextInt(3) == 0) {
                    known.add(DnsLabels.parse(name));
                }
            }
            namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
            zone = ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
            chain = ResolverChain.of(zone)
                    .withUpstream((question, client) -> new Resolution.Ready(upstream(known, question, client)));
        }

        private static List<IpAddress> addresses(int number, Random random) {
            List<IpAddress> both =
                    List.of(IpAddress.parse("10.96.0." + number), IpAddress.parse("fd00:10:96::" + number));
            return random.nextInt(3) > 0 ? both : both.subList(0, 1);
        }

        private Answer upstream(Set<DnsLabels> known, Question question, Client client) {
            forwarded.add(question.toString());
            assertThat(client.ednsOptions()).isEmpty();
            assertThat(question.labels().count()).isGreaterThan(1);
            boolean four = question.type().number() == Type.A;
            return known.contains(question.labels())
                    ? Answer.builder(Rcode.NOERROR)
                            .answer(List.of(RecordSet.of(record(question, four))))
                            .build()
                    : Answer.failure(Rcode.NXDOMAIN);
        }

        private static Record record(Question question, boolean four) {
            int host = Math.floorMod(question.labels().hashCode(), 250);
            InetAddress address = address(four ? "192.0.2." + host : "2001:db8::" + host);
            return four
                    ? new ARecord(question.name(), DClass.IN, 60, address)
                    : new AAAARecord(question.name(), DClass.IN, 60, address);
        }

        /** Returns the chain with a counter of lookups. */
        DnsResolver counted() {
            return (question, client) -> {
                lookups++;
                return chain.resolve(question, client);
            };
        }

        AutopathResolver.Builder autopath() {
            return AutopathResolver.builder(counted(), List.of(ZONE)).hostSearches(host);
        }

        Client pod() {
            return Client.builder(Client.Transport.UDP).namespace(namespace).build();
        }

        ResolvConf resolvConf(PodForm pod, boolean expands) {
            String search = host.isEmpty()
                    ? ""
                    : "search " + host.stream().map(DnsLabels::toString).collect(Collectors.joining(" ")) + "\n";
            NodeDns node = NodeDns.builder()
                    .clusterDns(IpAddress.parse("10.96.0.10"))
                    .hostResolvConf("nameserver 192.0.2.53\n" + search)
                    .enhancementPolicies(true)
                    .os(pod.isOnWindows() ? NodeDns.Os.WINDOWS : NodeDns.Os.LINUX)
                    .build();
            // An API server refuses the policy None without a server.
            List<String> servers = pod.policy.equals(Optional.of("None")) ? List.of("10.96.0.10") : List.of();
            PodDnsSpec.Builder spec = PodDnsSpec.builder("web-0")
                    .namespace(namespace)
                    .hostNetwork(pod.onHostNetwork && !expands)
                    .dnsConfig(new DnsConfig(servers, pod.searches, pod.options));
            (expands ? Optional.of("ClusterFirstWithAutopath") : pod.policy).ifPresent(word -> spec.dnsPolicy(word));
            ResolvConf file = KubeletDns.forPod(spec.build(), node).resolvConf();
            return pod.isOnWindows()
                    ? new ResolvConf(
                            file.nameservers(),
                            file.searches().stream().limit(1).toList(),
                            file.options())
                    : file;
        }

        /** Returns the finder of namespaces, after it received the Pod with {@link #ADDRESS}. */
        PodNamespaces podNamespaces(PodForm form) {
            Pod.Builder pod = Pod.builder(namespace, "web-0")
                    .ips(ADDRESS)
                    .hostNetwork(form.onHostNetwork)
                    .dnsConfig(new DnsConfig(List.of(), form.searches, List.of()));
            form.policy.ifPresent(word -> pod.dnsPolicy(word));
            form.os.ifPresent(pod::os);
            PodNamespaces namespaces = new PodNamespaces(new ClusterSource.Sink() {
                @Override
                public void changed(List<ClusterChange> batch) {}

                @Override
                public void stateChanged(SyncState state) {}

                @Override
                public void diagnosed(Diagnostic diagnostic) {}
            });
            namespaces.changed(List.of(new ClusterChange.Put(pod.build())));
            return namespaces;
        }
    }

    /**
     * The fields of a Pod on which its search list depends.
     *
     * @param policy the policy without autopath
     * @param searches the search domains of its dnsConfig
     * @param options the options of its dnsConfig
     */
    private record PodForm(
            Optional<String> policy,
            boolean onHostNetwork,
            Optional<String> os,
            List<String> searches,
            List<DnsConfig.Option> options) {
        boolean isOnWindows() {
            return os.equals(Optional.of("windows"));
        }

        /** Returns the number of dots from which resolvers first look up a name as it is. */
        int ndots() {
            return options.stream()
                    .filter(option -> option.name().equals("ndots"))
                    .findFirst()
                    .flatMap(DnsConfig.Option::value)
                    .map(Integer::parseInt)
                    .orElse(5);
        }
    }

    @Property(tries = 3000)
    void nameThatTheClientFindsIsFoundWithOneQueryForEachType(
            @ForAll long seed,
            @ForAll("hostSearches") List<DnsLabels> host,
            @ForAll("pods") PodForm pod,
            @ForAll("programNames") String name,
            @ForAll("dialects") Dialect dialect,
            @ForAll AddressFamily family) {
        World world = new World(seed, host);
        Lookup lookup = new Lookup(world, pod, name, dialect, family);
        QueryTrace walk = lookup.run(false, world.chain, world.pod());
        boolean found = walk.outcome() == LookupOutcome.OK && isDataOrMissing(world, walk);
        // Exception: musl does not read a search list of this length, but the server has it.
        boolean tooLong = lookup.isListTooLong();
        Statistics.label("list").collect(tooLong ? "too long" : "complete");
        Statistics.label("found").collect(found ? "found" : walk.outcome().toString());
        Statistics.label("found").coverage(coverage -> coverage.check("found").percentage(share -> share > 20));
        if (!found || tooLong) {
            return;
        }
        Statistics.label("steps").collect(queries(walk, family.types().get(0)));
        for (Mode mode : Mode.values()) {
            assertFoundAtOnce(mode.name(), lookup, mode.run(lookup), walk);
        }
    }

    /** Asserts that the client found the same addresses as by its own list, with one query for each type. */
    private static void assertFoundAtOnce(String mode, Lookup lookup, QueryTrace once, QueryTrace walk) {
        List<QueryType> types = lookup.family.types();
        assertThat(once.outcome()).as("%s %s", mode, once.queries()).isEqualTo(LookupOutcome.OK);
        assertThat(once.addresses()).as("%s %s", mode, once.queries()).hasSameElementsAs(walk.addresses());
        // Exception: a resolver with a search list first looks up a name with at least ndots dots without a search
        // domain.
        long dots = lookup.name.chars().filter(c -> c == '.').count();
        int asItIs = dots >= lookup.pod.ndots() && queries(walk, types.get(0)) > 1 ? 1 : 0;
        for (QueryType type : types) {
            assertThat(queries(once, type)).as("%s %s", mode, once.queries()).isLessThanOrEqualTo(1 + asItIs);
        }
    }

    /** Pods of every policy and operating system, known by their addresses only. */
    @Property(tries = 5000)
    void podsFindByTheirAddressWhatTheyFindByTheirOwnList(
            @ForAll long seed,
            @ForAll("hostSearches") List<DnsLabels> host,
            @ForAll("anyPods") PodForm pod,
            @ForAll("namesOfPods") String pattern,
            @ForAll("dialects") Dialect any,
            @ForAll AddressFamily family) {
        World world = new World(seed, host);
        String name = pattern.replace("NAMESPACE", world.namespace);
        Dialect dialect = pod.isOnWindows() ? Dialect.WINDOWS : any;
        Lookup lookup = new Lookup(world, pod, name, dialect, family);
        Client client = Client.udp(new InetSocketAddress(address(ADDRESS), 40_000));
        DnsResolver server =
                world.autopath().byPod(world.podNamespaces(pod)::of).build();

        QueryTrace walk = lookup.run(false, world.chain, client);
        QueryTrace once = lookup.run(false, server, client);

        List<String> searches = world.resolvConf(pod, false).searches();
        boolean usual = new ClusterSearches(world.namespace, ZONE.toString())
                        .domains()
                        .equals(searches.subList(0, Math.min(3, searches.size())))
                && pod.searches.isEmpty();
        Statistics.label("list").collect(usual ? "usual" : "other");
        Statistics.label("list").coverage(coverage -> {
            coverage.check("usual").percentage(share -> share > 10);
            coverage.check("other").percentage(share -> share > 10);
        });
        if (!usual || pod.onHostNetwork) {
            assertThat(once.queries()).isEqualTo(walk.queries());
            assertThat(once.outcome()).isEqualTo(walk.outcome());
            assertThat(once.addresses()).isEqualTo(walk.addresses());
        } else if (isDataOrMissing(world, walk) && !lookup.isListTooLong()) {
            boolean found = walk.outcome() == LookupOutcome.OK;
            boolean ambiguous = lookup.isExpandedForAnotherName(walk);
            Statistics.label("usual list").collect(found ? "found" : ambiguous ? "ambiguous" : "missing");
            Statistics.label("usual list")
                    .coverage(coverage -> coverage.check("missing").count(count -> count > 0));
            if (found) {
                assertFoundAtOnce("by address", lookup, once, walk);
            } else if (!ambiguous) {
                // The server finds nothing either, and the client continues with its own list.
                assertThat(once.queries()).isEqualTo(walk.queries());
                assertThat(once.outcome()).isEqualTo(walk.outcome());
            }
        }
    }

    /** A name that a program in a Pod looks up. */
    private record Lookup(World world, PodForm pod, String name, Dialect dialect, AddressFamily family) {
        private ResolverSettings settings(boolean expands) {
            return SettingsReader.read(dialect, world.resolvConf(pod, expands));
        }

        /** Returns whether the Pod's search list is longer than the resolver reads. */
        boolean isListTooLong() {
            List<String> all = world.resolvConf(pod, false).searches();
            return ("search " + String.join(" ", all)).length() > MUSL_LINE
                    && settings(false).searches().size() < all.size();
        }

        /**
         * Returns whether a step lies in the first search domain, but is not the name with that domain, for example {@code
         * web.shop.svc.cluster.local} as it is. The server cannot distinguish it from the first step for another name, here {@code web},
         * and can find that name with another search domain.
         */
        boolean isExpandedForAnotherName(QueryTrace walk) {
            DnsLabels first = DnsLabels.parse(new ClusterSearches(world.namespace, ZONE.toString())
                    .domains()
                    .get(0));
            DnsLabels own = DnsLabels.parse(name).append(first);
            return walk.queries().stream()
                    .map(query -> DnsLabels.parse(query.name()))
                    .anyMatch(step -> step.endsWith(first) && !step.equals(own));
        }

        /**
         * Runs the Pod's resolver.
         *
         * @param expands whether the Pod has the search domain of autopath instead of the usual list
         */
        QueryTrace run(boolean expands, DnsResolver server, Client client) {
            ResolverSettings settings = settings(expands);
            return QueryPlan.of(settings, new LookupRequest(name, family)).run(query -> reply(server, client, query));
        }
    }

    /** The modes of the resolver. */
    private enum Mode {
        NAME {
            @Override
            QueryTrace run(Lookup lookup) {
                DnsResolver server = lookup.world.autopath().byName().build();
                return lookup.run(true, server, Client.IN_PROCESS);
            }
        },
        OPTION_TEXT {
            @Override
            QueryTrace run(Lookup lookup) {
                World world = lookup.world;
                List<DnsLabels> paths = new ArrayList<>(new ClusterSearches(world.namespace, ZONE.toString()).labels());
                paths.addAll(world.host);
                return byOption(lookup, new SearchPaths.PathList(paths));
            }
        },
        OPTION_VERSION {
            @Override
            QueryTrace run(Lookup lookup) {
                ClusterSearches searches = new ClusterSearches(lookup.world.namespace, ZONE.toString());
                return byOption(lookup, new SearchPaths.OfNamespace(searches));
            }
        },
        POD {
            @Override
            QueryTrace run(Lookup lookup) {
                DnsResolver server = lookup.world.autopath().byPod().build();
                return lookup.run(false, server, lookup.world.pod());
            }
        };

        abstract QueryTrace run(Lookup lookup);

        /** A node cache adds the option to names of the suffix. */
        private static QueryTrace byOption(Lookup lookup, SearchPaths list) {
            World world = lookup.world;
            Client cache = world.pod().toBuilder()
                    .ednsOptions(List.of(list.toOption(SearchPaths.OPTION_CODE)))
                    .build();
            DnsResolver server =
                    world.autopath().byOption((Client client) -> true).build();
            DnsResolver throughTheCache =
                    (question, client) -> question.labels().endsWith(DnsLabels.parse("ap.k8s.io"))
                            ? server.resolve(question, cache)
                            : server.resolve(question, client);
            return lookup.run(true, throughTheCache, world.pod());
        }
    }

    /** Returns whether every query was answered with addresses or NXDOMAIN. Resolvers differ for other answers. */
    private static boolean isDataOrMissing(World world, QueryTrace trace) {
        return trace.queries().stream()
                .map(query -> reply(world.chain, world.pod(), query).kind())
                .allMatch(kind -> kind == Reply.Kind.DATA || kind == Reply.Kind.NXDOMAIN);
    }

    private static long queries(QueryTrace trace, QueryType type) {
        return trace.queries().stream().filter(query -> query.type() == type).count();
    }

    private static Reply reply(DnsResolver server, Client client, PlannedQuery query) {
        DnsLabels name = DnsLabels.parse(query.name());
        if (name.count() < 2) {
            // Unlike the client, the server does not look up single labels upstream.
            return Reply.of(Reply.Kind.NXDOMAIN);
        }
        RecordType type = query.type() == QueryType.A ? RecordType.A : RecordType.of(Type.AAAA);
        Answer answer = answer(server, new Question(name, type, DClass.IN), client);
        return switch (answer.status()) {
            case NOERROR, NODATA ->
                Reply.of(answer.addresses().stream().map(IpAddress::parse).toList());
            case NXDOMAIN -> Reply.of(Reply.Kind.NXDOMAIN);
            case REFUSED -> Reply.of(Reply.Kind.REFUSED);
            default -> Reply.of(Reply.Kind.SERVFAIL);
        };
    }

    @Property(tries = 2000)
    void aAndAaaaHaveTheSameTarget(@ForAll long seed, @ForAll("programNames") String name) {
        World world = new World(seed);
        DnsResolver server = world.autopath().byName().build();
        DnsLabels asked = sentinel(name, world.namespace);

        Answer four = answer(server, new Question(asked, RecordType.A, DClass.IN), Client.IN_PROCESS);
        Answer six = answer(server, new Question(asked, RecordType.of(Type.AAAA), DClass.IN), Client.IN_PROCESS);

        assertThat(six.rcode()).isEqualTo(four.rcode());
        assertThat(six.cnames()).isEqualTo(four.cnames());
    }

    /** A Pod receives only answers for the search domains of its own namespace. */
    @Property(tries = 2000)
    void answersNeverContainNamesOfOtherNamespaces(
            @ForAll long seed, @ForAll @Size(8) List<Integer> order, @ForAll("programNames") String name) {
        World world = new World(seed);
        DnsResolver shared = world.autopath().byName().byPod().build();
        for (int index : order) {
            String namespace = NAMESPACES.get(Math.floorMod(index, NAMESPACES.size()));
            Client pod =
                    Client.builder(Client.Transport.UDP).namespace(namespace).build();
            DnsLabels first = DnsLabels.parse(name + "." + namespace + ".svc.cluster.local");
            for (DnsLabels asked : List.of(first, sentinel(name, namespace))) {
                Question question = new Question(asked, RecordType.A, DClass.IN);
                Answer answer = answer(shared, question, pod);

                Optional<DnsLabels> expected = candidates(name, namespace).stream()
                        .filter(one -> answer(world.chain, new Question(one, RecordType.A, DClass.IN), pod)
                                        .rcode()
                                == Rcode.NOERROR)
                        .findFirst();
                assertThat(answer.rcode() == Rcode.NOERROR).isEqualTo(expected.isPresent());
                expected.filter(found -> !found.equals(asked))
                        .ifPresent(found -> assertThat(answer.cnames()).first().isEqualTo(DnsNames.absolute(found)));
            }
        }
    }

    @Property
    void namesInTheFirstDomainOfAnotherNamespaceAreNotExpanded(@ForAll long seed, @ForAll("programNames") String name) {
        World world = new World(seed);
        DnsResolver server = world.autopath().byName().byPod().build();
        for (String other : NAMESPACES) {
            Question question =
                    new Question(DnsLabels.parse(name + "." + other + ".svc.cluster.local"), RecordType.A, DClass.IN);
            Answer plain = answer(world.chain, question, world.pod());
            if (!other.equals(world.namespace)) {
                assertThat(answer(server, question, world.pod())).isEqualTo(plain);
            }
            assertThat(answer(server, question, Client.IN_PROCESS)).isEqualTo(plain);
        }
    }

    private static List<DnsLabels> candidates(String name, String namespace) {
        List<DnsLabels> all = new ArrayList<>(labels(
                name + "." + namespace + ".svc.cluster.local", name + ".svc.cluster.local", name + ".cluster.local"));
        HOST.forEach(domain -> all.add(DnsLabels.parse(name).append(domain)));
        if (name.contains(".") && !name.endsWith("ap.k8s.io")) {
            all.add(DnsLabels.parse(name));
        }
        return all;
    }

    private static DnsLabels sentinel(String name, String namespace) {
        return DnsLabels.parse(name + "." + new ClusterSearches(namespace, "cluster.local").autopathDomain());
    }

    /** Clients that append a search domain to a name of the suffix once more, or send a list with a domain below it. */
    @Property(tries = 3000)
    void noUpstreamQueryContainsTheSuffix(
            @ForAll long seed,
            @ForAll("hostSearchesNearTheSuffix") List<DnsLabels> host,
            @ForAll("namesNearTheSuffix") String name,
            @ForAll @Size(max = 2) List<Boolean> again,
            @ForAll boolean hasList) {
        World world = new World(seed, host);
        DnsResolver server = world.autopath()
                .byName()
                .byOption((Client client) -> true)
                .byPod()
                .build();
        Client client = !hasList
                ? world.pod()
                : world.pod().toBuilder()
                        .ednsOptions(List.of(new SearchPaths.PathList(host).toOption(SearchPaths.OPTION_CODE)))
                        .build();
        DnsLabels asked = DnsLabels.parse(name);
        for (boolean bySuffix : again) {
            ClusterSearches searches = new ClusterSearches(world.namespace, ZONE.toString());
            asked = asked.append(DnsLabels.parse(
                    bySuffix ? searches.autopathDomain() : searches.domains().get(0)));
        }

        Answer answer = answer(server, new Question(asked, RecordType.A, DClass.IN), client);

        Statistics.label("forwarded").collect(!world.forwarded.isEmpty());
        Statistics.label("forwarded").coverage(coverage -> coverage.check(true).percentage(share -> share > 10));
        assertThat(world.forwarded).noneMatch(AutopathLaws::containsSuffix);
        assertThat(answer.rcode()).isIn(Rcode.NOERROR, Rcode.NXDOMAIN);
    }

    private static boolean containsSuffix(String question) {
        return ("." + question.toLowerCase(Locale.ROOT)).contains(".ap.k8s.io.");
    }

    /** Options with arbitrary data, from trusted and from other clients. */
    @Property(tries = 5000)
    void hostileOptionsNeitherThrowNorCauseManyLookups(
            @ForAll("hostile") byte[] data, @ForAll("programNames") String name, @ForAll boolean trusted) {
        World world = new World(data.length);
        DnsResolver server =
                world.autopath().byName().byOption((Client client) -> trusted).build();
        Client client = Client.udp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53)).toBuilder()
                .ednsOptions(List.of(new GenericEDNSOption(SearchPaths.OPTION_CODE, data)))
                .build();
        // An ordinary question for a single label goes upstream, as without autopath.
        String asked = name.contains(".") ? name : name + ".prod";

        Answer answer = answer(server, new Question(DnsLabels.parse(asked), RecordType.A, DClass.IN), client);

        assertThat(world.lookups).isLessThanOrEqualTo(37);
        assertThat(new HashSet<>(world.forwarded)).as("nothing twice").hasSameSizeAs(world.forwarded);
        assertThat(answer.answer().size()).isLessThanOrEqualTo(4);
        if (trusted) {
            Statistics.label("list").collect(isList(data) ? "list" : "bad", answer.status() == AnswerStatus.OTHER);
            assertThat(answer.rcode() == Rcode.FORMERR).isEqualTo(!isList(data));
        } else {
            assertThat(answer.rcode()).isNotEqualTo(Rcode.FORMERR);
        }
    }

    private static boolean isList(byte[] data) {
        try {
            SearchPaths.parse(data);
            return true;
        } catch (InvalidNameException noList) {
            return false;
        }
    }

    @Property
    void parsingTheWireFormOfAListReturnsTheList(@ForAll("hostile") byte[] data) {
        Optional<SearchPaths> list;
        try {
            list = SearchPaths.parse(data);
        } catch (InvalidNameException noList) {
            return;
        }
        list.ifPresent(some -> assertThat(SearchPaths.parse(some.toWire())).contains(some));
    }

    @Provide
    Arbitrary<String> programNames() {
        return Arbitraries.of(NAMES);
    }

    @Provide
    Arbitrary<String> namesNearTheSuffix() {
        return Arbitraries.oneOf(
                programNames().filter(name -> name.contains(".")),
                Arbitraries.of("ap.k8s.io", "x.AP.k8s.io", "x.find.shop.cluster.local.ap.k8s.io", "x.ap", "x.ap.k8s"));
    }

    @Provide
    Arbitrary<List<DnsLabels>> hostSearchesNearTheSuffix() {
        return Arbitraries.of(
                        labels("corp.test", "example.com", "ap.k8s.io", "x.ap.k8s.io", "k8s.io", "io", "cluster.local"))
                .list()
                .uniqueElements()
                .ofMaxSize(3);
    }

    @Provide
    Arbitrary<List<DnsLabels>> hostSearches() {
        return Arbitraries.of(HOSTS);
    }

    @Provide
    Arbitrary<PodForm> pods() {
        Arbitrary<List<DnsConfig.Option>> ndots = Arbitraries.integers()
                .between(0, 6)
                .map(dots -> DnsConfig.Option.of("ndots", Integer.toString(dots)))
                .list()
                .ofMaxSize(1);
        Arbitrary<List<DnsConfig.Option>> others = Arbitraries.of(
                        DnsConfig.Option.of("timeout", "1"),
                        DnsConfig.Option.of("attempts", "1"),
                        DnsConfig.Option.of("rotate"),
                        DnsConfig.Option.of("single-request"))
                .list()
                .uniqueElements()
                .ofMaxSize(2);
        return Combinators.combine(Arbitraries.of(true, false), ndots, others)
                .as((onHostNetwork, dots, some) -> new PodForm(
                        Optional.of(onHostNetwork ? "ClusterFirstWithHostNet" : "ClusterFirst"),
                        onHostNetwork,
                        Optional.empty(),
                        List.of(),
                        Stream.concat(dots.stream(), some.stream()).toList()));
    }

    @Provide
    Arbitrary<PodForm> anyPods() {
        List<String> policies = new ArrayList<>(List.of("", "ClusterFirst", "ClusterFirstWithAutopath"));
        Stream.of(DnsPolicy.values()).map(DnsPolicy::word).forEach(policies::add);
        return Combinators.combine(
                        pods(),
                        Arbitraries.of(policies),
                        Arbitraries.integers().between(1, 4),
                        Arbitraries.of("", "linux", "windows"),
                        Arbitraries.of("", "", "", "example.com", "corp.test"))
                .as((pod, policy, network, os, search) -> new PodForm(
                        Optional.of(policy).filter(word -> !word.isEmpty()),
                        network == 1,
                        Optional.of(os).filter(name -> !name.isEmpty()),
                        Stream.of(search).filter(domain -> !domain.isEmpty()).toList(),
                        pod.options));
    }

    /** Names that programs look up; NAMESPACE stands for that of the Pod, so that the name lies in its first search domain. */
    @Provide
    Arbitrary<String> namesOfPods() {
        return Arbitraries.oneOf(
                programNames(),
                Arbitraries.of(
                        "web.NAMESPACE.svc.cluster.local",
                        "db.NAMESPACE.svc.cluster.local",
                        "web.prod.NAMESPACE.svc.cluster.local",
                        "www.example.com.NAMESPACE.svc.cluster.local"));
    }

    @Provide
    Arbitrary<Dialect> dialects() {
        return Arbitraries.of(Dialect.all());
    }

    @Provide
    Arbitrary<byte[]> hostile() {
        Arbitrary<String> part = Arbitraries.of(
                "svc.cluster.local", "a", "b.test", " x.test. ", "", "cluster.local", "*", "x".repeat(64), "é", "a..b");
        Arbitrary<byte[]> texts =
                part.list().ofMaxSize(40).map(parts -> String.join(",", parts).getBytes(StandardCharsets.ISO_8859_1));
        Arbitrary<byte[]> lists = Arbitraries.of("svc.cluster.local", "a", " b.test.", "cluster.local")
                .list()
                .ofMinSize(1)
                .ofMaxSize(40)
                .map(parts -> String.join(",", parts).getBytes(StandardCharsets.ISO_8859_1));
        Arbitrary<byte[]> versions = Arbitraries.of("shop", "Shop", "*", "x")
                .flatMap(namespace -> Arbitraries.of("cluster.local", "a.test", "\\000", ".")
                        .map(domain -> DnsLabels.of(namespace)
                                .append(DnsLabels.parse(domain))
                                .toWire()))
                .flatMap(name -> Arbitraries.integers().between(-2, 2).map(more -> {
                    byte[] data = new byte[Math.max(1, name.length + 2 + more)];
                    data[0] = 1;
                    System.arraycopy(name, 0, data, 1, Math.min(name.length, data.length - 1));
                    return data;
                }));
        return Arbitraries.oneOf(
                texts, lists, versions, Arbitraries.bytes().array(byte[].class).ofMaxSize(300));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByAddress(IpAddress.parse(text).bytes());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static List<DnsLabels> labels(String... texts) {
        return Stream.of(texts).map(DnsLabels::parse).toList();
    }

    private static Answer answer(DnsResolver resolver, Question question, Client client) {
        return resolver.resolve(question, client)
                .toStage()
                .toCompletableFuture()
                .join();
    }
}
