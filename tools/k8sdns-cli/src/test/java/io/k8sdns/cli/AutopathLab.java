package io.k8sdns.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A program that runs in its own network namespace, with {@code serve} on port 53 and an upstream server. For each line of standard
 * input, {@code resolv.conf TAB program TAB arguments}, it writes the resolv.conf, runs the program, and prints {@code queries TAB
 * upstream queries TAB output}. {@code serve} counts the queries.
 */
final class AutopathLab {
    private static final Pattern REQUESTS = Pattern.compile("(?m)^k8sdns_requests_total\\{[^}]*} ([0-9.E]+)$");
    private static final Pattern METRICS = Pattern.compile("metrics: (http\\S+)");

    private AutopathLab() {}

    /** Runs the lab; the only argument is the path of the resolv.conf. */
    public static void main(String... arguments) throws Exception {
        Path resolvConf = Path.of(arguments[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RecordingUpstream upstream = new RecordingUpstream();
                RunningServer server = RunningServer.with(
                        "--listen",
                        "127.0.0.1:53",
                        "--forward",
                        upstream.text(),
                        "--cache-size",
                        "0",
                        "--autopath",
                        "name",
                        "--autopath-host-search",
                        "corp.example",
                        "--metrics",
                        "127.0.0.1:0",
                        Run.BOOKSTORE)) {
            Matcher metrics = METRICS.matcher(server.err());
            if (!metrics.find()) {
                throw new IOException("no address of metrics: " + server.err());
            }
            URI uri = URI.create(metrics.group(1));
            HttpClient client = HttpClient.newHttpClient();
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split("\t", -1);
                Files.writeString(resolvConf, fields[0].replace('|', '\n') + "\n");
                long before = requests(client, uri);
                int upstreamBefore = upstream.asked().size();
                Process process = new ProcessBuilder(List.of(fields).subList(1, fields.length))
                        .redirectErrorStream(true)
                        .start();
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .map(String::strip)
                        .collect(Collectors.joining("|"));
                int unused = process.waitFor();
                System.out.println((requests(client, uri) - before) + "\t"
                        + (upstream.asked().size() - upstreamBefore) + "\t" + output);
            }
        }
    }

    private static long requests(HttpClient client, URI uri) throws IOException, InterruptedException {
        String page = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        Matcher matcher = REQUESTS.matcher(page);
        double sum = 0;
        while (matcher.find()) {
            sum += Double.parseDouble(Objects.requireNonNull(matcher.group(1)));
        }
        return (long) sum;
    }
}
