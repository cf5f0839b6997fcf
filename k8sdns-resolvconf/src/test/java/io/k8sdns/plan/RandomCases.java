package io.k8sdns.plan;

import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random lookups, the same ones for the same seed. No timeout is longer than a second. */
final class RandomCases {
    private static final List<String> NAMES = List.of(
            "db",
            "db",
            "data.prod",
            "data.prod.svc",
            "www.example.com",
            "www.example.com.",
            "a.b.c.d.e.f",
            "db.",
            "DB.Prod",
            "under_score.x",
            "10.1",
            "1.2.3.4.5",
            "-dash",
            "x-.y",
            "a..b",
            ".x",
            ".",
            "b\u00fccher",
            "a b",
            "a\\.b",
            "x.y#",
            "localhost",
            "z".repeat(63),
            "z".repeat(64),
            "z".repeat(63) + "." + "y".repeat(63),
            "1a.2b");

    private static final List<String> DOMAINS = List.of(
            "test.svc.cluster.local",
            "svc.cluster.local",
            "cluster.local",
            "foo.com",
            "a.com",
            "b.com",
            "a.com",
            "foo.com.",
            ".",
            ".lead.com",
            "x..y",
            "up.Case",
            "l".repeat(63) + "." + "m".repeat(63) + "." + "n".repeat(63),
            "under_.score",
            "#");

    private static final List<String> OPTIONS = List.of(
            "ndots:0",
            "ndots:2",
            "ndots:5",
            "ndots:5",
            "ndots:16",
            "ndots:-1",
            "ndots:x",
            "ndots: 3",
            "ndots:\t0",
            "attempts:  1",
            "attempts:1",
            "attempts:4",
            "attempts:8",
            "single-request",
            "single-request-reopen",
            "no-aaaa",
            "no-tld-query",
            "use-vc",
            "edns0",
            "trust-ad",
            "junk",
            "xndots:3",
            "rotate");

    private static final List<String> WORDS =
            List.of("NXDOMAIN", "NODATA", "A", "A", "SERVFAIL", "REFUSED", "NOTIMP", "FORMERR", "DROP", "TC");

    private final Random random;

    RandomCases(long seed) {
        random = new Random(seed);
    }

    /** Returns the next case. */
    QueryCase next(int number) {
        String name = one(NAMES);
        String file = file();
        AddressFamily family = one(List.of(
                AddressFamily.UNSPEC,
                AddressFamily.UNSPEC,
                AddressFamily.UNSPEC,
                AddressFamily.IPV4,
                AddressFamily.IPV6));
        Map<String, String> environment = new LinkedHashMap<>();
        if (chance(8)) {
            environment.put("LOCALDOMAIN", one(List.of("", " a.com", "e1.com e2.com", "e1.com\tb.com")));
        }
        if (chance(8)) {
            environment.put("RES_OPTIONS", one(List.of("ndots:3", "timeout:1 attempts:1", "no-aaaa", "ndots:0")));
        }
        LookupRequest request = new LookupRequest(name, family);
        return new QueryCase("random " + number, file, environment, request, answers(file, environment, request));
    }

    private String file() {
        StringBuilder file = new StringBuilder();
        if (chance(6)) {
            file.append(one(List.of("# comment\n", "; comment\n", "\n", "options\n", "search\n", " search no.com\n")));
        }
        int servers = chance(4) ? 2 + random.nextInt(2) : 1;
        for (int i = 0; i < servers; i++) {
            file.append("nameserver ").append(LookupLab.SERVERS.get(i)).append('\n');
        }
        if (chance(10)) {
            file.append("nameserver not.an.address\n");
        }
        for (int lines = chance(6) ? 2 : chance(8) ? 0 : 1; lines > 0; lines--) {
            file.append(chance(8) ? "domain" : "search");
            for (int domains = random.nextInt(5); domains > 0; domains--) {
                file.append(one(List.of(" ", " ", " ", "  ", "\t"))).append(one(DOMAINS));
            }
            file.append(one(List.of("\n", "\n", "\n", " \n")));
        }
        // For musl the first occurrence of an option in a line counts, for glibc the last; c-ares has its own options.
        file.append("options timeout:1 retrans:500 retry:2");
        for (int options = random.nextInt(4); options > 0; options--) {
            file.append(' ').append(one(OPTIONS));
        }
        return file.append('\n').toString();
    }

    private List<QueryCase.Answer> answers(String file, Map<String, String> environment, LookupRequest request) {
        List<QueryCase.Answer> answers = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (Dialect dialect : List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5, Dialect.GO)) {
            QueryPlan.of(SettingsReader.read(dialect, file, environment), request)
                    .candidates()
                    .forEach(candidate -> names.add(candidate.name()));
        }
        for (String name : names) {
            if (chance(2)) {
                String type = one(List.of("", "", "|A", "|AAAA"));
                String server = chance(4) ? one(LookupLab.SERVERS) : "*";
                answers.add(new QueryCase.Answer(name + type, server, one(WORDS)));
            }
        }
        answers.add(new QueryCase.Answer("*", "*", chance(8) ? one(WORDS) : "NXDOMAIN"));
        return answers;
    }

    private boolean chance(int ofHowMany) {
        return random.nextInt(ofHowMany) == 0;
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
