package io.k8sdns.apiserver;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An API server over HTTP/1.1 on a port of the loopback address, for tests. Serves only JSON: consistent lists in pages, and watches
 * from a version, with 410 for compacted versions, compressed if the client accepts it. Single objects are read, created, replaced and
 * deleted, with 409 for versions that are not the last one. Tests can set a {@link Fault}.
 *
 * <p>Objects are JSON texts with a resource, for example {@code services}, and a name after the namespace, for example {@code
 * shop/cart}.
 */
public final class ApiServer implements AutoCloseable {
    /** The maximum number of events of a resource that are kept for watches. */
    private static final int MAX_HISTORY = 2_000;

    /** The size from which on responses are compressed, as in real servers. */
    private static final int COMPRESSED_BYTES = 128 << 10;

    /** The time between bookmarks; writing them also detects clients that have disconnected. */
    private static final Duration BOOKMARKS = Duration.ofSeconds(10);

    private static final int MAX_REQUESTS = 10_000;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final byte[] END = {};
    private static final ApiReply DONE = ApiReply.json(200, "{}");

    /** The type of each resource; real clients reject objects without one. */
    private static final Map<String, Type> TYPES = Map.of(
            "namespaces", new Type("v1", "Namespace"),
            "services", new Type("v1", "Service"),
            "endpointslices", new Type("discovery.k8s.io/v1", "EndpointSlice"),
            "pods", new Type("v1", "Pod"),
            "nodes", new Type("v1", "Node"),
            "configmaps", new Type("v1", "ConfigMap"),
            "serviceexports", new Type("multicluster.x-k8s.io/v1alpha1", "ServiceExport"),
            "leases", new Type("coordination.k8s.io/v1", "Lease"));

    private final ServerSocket listening;
    private final ExecutorService threads;
    private final Map<String, Kind> kinds = new HashMap<>();
    private final Map<String, Fault> faults = new HashMap<>();
    private final Map<String, List<byte[]>> pages = new HashMap<>();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>(MAX_REQUESTS);
    private final Set<Socket> connections = new HashSet<>();
    private @Nullable SSLContext tls;
    private volatile String token = "";
    private volatile boolean away;
    private volatile boolean mute;
    private int maxPage = Integer.MAX_VALUE;
    private boolean compresses = true;
    private long revision = 10;

    /** The objects of a resource, their last events, and the open watches. */
    private static final class Kind {
        private final TreeMap<String, byte[]> objects = new TreeMap<>();
        private final Deque<Event> history = new ArrayDeque<>();
        private final Set<Watch> watches = new HashSet<>();

        /** The responses to watches under way, those with a fault among them. */
        private int openWatches;

        private long compacted;
    }

    /** The type of an object. */
    private record Type(String apiVersion, String kind) {
        static Type of(String resource) {
            return TYPES.getOrDefault(resource, new Type("v1", "Something"));
        }

        /** Returns the members apiVersion and kind, followed by a comma. */
        String members(String suffix) {
            return "\"apiVersion\": \"" + apiVersion + "\", \"kind\": \"" + kind + suffix + "\", ";
        }
    }

    /** A change, as a line of a watch. */
    private static final class Event {
        private final long revision;
        private final String name;
        private final byte[] line;

        Event(long revision, String name, byte[] line) {
            this.revision = revision;
            this.name = name;
            this.line = line;
        }
    }

    /** A watch of the objects of one namespace or all. */
    private static final class Watch {
        private final String prefix;
        private final BlockingQueue<byte[]> events = new LinkedBlockingQueue<>();

        Watch(String prefix) {
            this.prefix = prefix;
        }
    }

    /** Starts a server at a free port, without TLS. */
    public ApiServer() throws IOException {
        this(0);
    }

    /** Starts a server at a port, without TLS. */
    public ApiServer(int port) throws IOException {
        listening = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "api-server");
            thread.setDaemon(true);
            return thread;
        });
        threads.execute(this::accept);
    }

    /** Returns the port. */
    public int port() {
        return listening.getLocalPort();
    }

    /** Returns the server's URL. */
    public synchronized String url() {
        return (tls == null ? "http" : "https") + "://127.0.0.1:" + port();
    }

    /** Returns a kubeconfig, in JSON, whose current context is a server at this URL, without credentials. */
    public static String kubeconfig(String url) {
        return "{\"apiVersion\": \"v1\", \"kind\": \"Config\", \"current-context\": \"c\", "
                + "\"clusters\": [{\"name\": \"c\", \"cluster\": {\"server\": \"" + url + "\"}}], "
                + "\"contexts\": [{\"name\": \"c\", \"context\": {\"cluster\": \"c\"}}]}\n";
    }

    /** Returns the queue of requests; a watch is added once it will receive every later event. */
    public BlockingQueue<Request> requests() {
        return requests;
    }

    /** Requires TLS from new connections. */
    public synchronized void tls(SSLContext context) {
        tls = context;
    }

    /** Accepts only this bearer token from now on; if empty, any or none. */
    public void token(String value) {
        token = value;
    }

    /** Sets the maximum number of objects of a page; by default the number in the request. */
    public synchronized void maxPageSize(int objects) {
        maxPage = objects;
    }

    /** Disables compression, for benchmarks of clients. */
    public synchronized void compressNothing() {
        compresses = false;
    }

    // ---- the objects ----

    /**
     * Adds or changes an object.
     *
     * @param name its name, after the namespace and a slash if it has one
     * @param metadata its metadata without name, namespace and version, as JSON members
     * @param rest its other members, each after a comma
     */
    public synchronized void put(String resource, String name, String metadata, String rest) {
        byte[] json = object(resource, name, metadata, rest);
        byte[] before = kind(resource).objects.put(name, json);
        addEvent(resource, name, before == null ? "ADDED" : "MODIFIED", json);
    }

    /** Deletes an object and sends its last state to watches; or, if it does not exist, an object with this metadata. */
    public synchronized void delete(String resource, String name, String metadata) {
        byte[] last = kind(resource).objects.remove(name);
        byte[] sent = object(resource, name, metadata, "");
        if (last != null) {
            sent = new String(last, StandardCharsets.UTF_8)
                    .replaceFirst("\"resourceVersion\": \"[0-9]+\"}", "\"resourceVersion\": \"" + revision + "\"}")
                    .getBytes(StandardCharsets.UTF_8);
        }
        addEvent(resource, name, "DELETED", sent);
    }

    /** Returns the version of the last change. */
    public synchronized long revision() {
        return revision;
    }

    /** Returns the objects of a resource, in JSON. */
    public synchronized List<String> objects(String resource) {
        return kind(resource).objects.values().stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
    }

    /** Returns the response to a list of all objects of a resource. */
    public synchronized String list(String resource) {
        return listHead(resource, Long.toString(revision), "") + String.join(",\n", objects(resource)) + "]}";
    }

    private static String listHead(String resource, String version, String more) {
        return "{" + Type.of(resource).members("List") + "\"metadata\": {\"resourceVersion\": \"" + version + "\""
                + more + "}, \"items\": [";
    }

    /** Sends a bookmark with the current version to all watches of a resource. */
    public synchronized void bookmark(String resource) {
        sendEvent(resource, "BOOKMARK", bookmarkObject(resource, ""));
    }

    private String bookmarkObject(String resource, String more) {
        return "{" + Type.of(resource).members("") + "\"metadata\": {\"resourceVersion\": \"" + revision + "\"" + more
                + "}}";
    }

    /** Sends an event only to the open watches of a resource, not to later ones. */
    public synchronized void sendEvent(String resource, String type, String object) {
        byte[] line = line(type, object.getBytes(StandardCharsets.UTF_8));
        kind(resource).watches.forEach(watch -> watch.events.add(line));
    }

    /** Compacts the history, as etcd does: earlier versions and the lists in progress expire. */
    public synchronized void compact() {
        revision++;
        pages.clear();
        kinds.values().forEach(kind -> {
            kind.history.clear();
            kind.compacted = revision;
        });
    }

    private Kind kind(String resource) {
        return kinds.computeIfAbsent(resource, any -> new Kind());
    }

    private byte[] object(String resource, String name, String metadata, String rest) {
        int slash = name.indexOf('/');
        return ("{" + Type.of(resource).members("") + "\"metadata\": {\"name\": \"" + name.substring(slash + 1) + "\""
                        + (slash < 0 ? "" : ", \"namespace\": \"" + name.substring(0, slash) + "\"")
                        + (metadata.isEmpty() ? "" : ", " + metadata)
                        + ", \"resourceVersion\": \"" + ++revision + "\"}" + rest + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private void addEvent(String resource, String name, String type, byte[] json) {
        Kind kind = kind(resource);
        Event event = new Event(revision, name, line(type, json));
        kind.history.add(event);
        if (kind.history.size() > MAX_HISTORY) {
            kind.compacted = kind.history.remove().revision;
        }
        for (Watch watch : kind.watches) {
            if (name.startsWith(watch.prefix)) {
                watch.events.add(event.line);
            }
        }
    }

    private static byte[] line(String type, byte[] json) {
        byte[] head = ("{\"type\": \"" + type + "\", \"object\": ").getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream line = new ByteArrayOutputStream(head.length + json.length + 2);
        line.writeBytes(head);
        line.writeBytes(json);
        line.writeBytes(new byte[] {'}', '\n'});
        return line.toByteArray();
    }

    // ---- faults ----

    /** Applies a fault to later responses about a resource, until another one is set. */
    public synchronized void fault(String resource, Fault fault) {
        faults.put(resource, fault);
    }

    /**
     * Waits until a watch of a resource is open: accepted with status 200, and not ended. Its fault is chosen then, and later
     * ones do not concern it.
     */
    public synchronized void awaitOpenWatch(String resource) throws InterruptedException {
        while (kind(resource).openWatches == 0) {
            wait();
        }
    }

    /** Ends all watches of a resource properly, as a server does after their timeout. */
    public synchronized void endWatches(String resource) {
        kind(resource).watches.forEach(watch -> watch.events.add(END));
    }

    /** Closes all connections. */
    public void cut() {
        List<Socket> open;
        synchronized (this) {
            open = List.copyOf(connections);
        }
        open.forEach(ApiServer::closeQuietly);
    }

    /**
     * Makes the server unavailable, or available again. While it is unavailable, it closes all connections, and new ones immediately.
     */
    public void away(boolean value) {
        away = value;
        if (value) {
            cut();
        }
    }

    /** Makes the server mute, or not. A mute server accepts connections and sends nothing, not even for TLS. */
    public void mute(boolean value) {
        mute = value;
        cut();
    }

    @Override
    public void close() {
        closeQuietly(listening);
        cut();
        threads.shutdownNow();
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception closed) {
            // The connection is closed already.
        }
    }

    // ---- connections ----

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                if (away) {
                    socket.close();
                } else {
                    synchronized (this) {
                        connections.add(socket);
                    }
                    threads.execute(() -> serve(socket));
                }
            } catch (IOException | RejectedExecutionException ended) {
                // The loop ends if the server is closed.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            if (mute) {
                new CountDownLatch(1).await();
            }
            socket.setTcpNoDelay(true);
            Socket secured = secured(socket);
            InputStream in = new BufferedInputStream(secured.getInputStream());
            OutputStream out = new BufferedOutputStream(secured.getOutputStream(), BUFFER_BYTES);
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                Map<String, String> headers = new HashMap<>();
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    int colon = header.indexOf(':');
                    headers.merge(
                            header.substring(0, colon).toLowerCase(Locale.ROOT),
                            header.substring(colon + 1).trim(),
                            (one, more) -> one + ", " + more);
                }
                String[] target = line.split(" ", -1);
                answer(Request.of(target[0], target[1], headers, body(in, headers)), out);
            }
        } catch (IOException cut) {
            // The client or the server closed the connection.
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                connections.remove(socket);
            }
        }
    }

    private Socket secured(Socket socket) throws IOException {
        SSLContext context;
        synchronized (this) {
            context = tls;
        }
        if (context == null) {
            return socket;
        }
        SSLSocket secured = (SSLSocket) context.getSocketFactory().createSocket(socket, null, port(), true);
        secured.setUseClientMode(false);
        return secured;
    }

    /** Returns the next line; empty at the end, too. */
    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static String body(InputStream in, Map<String, String> headers) throws IOException {
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private void answer(Request request, OutputStream out) throws IOException, InterruptedException {
        Fault fault;
        synchronized (this) {
            fault = faults.getOrDefault(request.resource(), Fault.NONE);
        }
        AtomicBoolean noted = new AtomicBoolean();
        Runnable note = () -> {
            if (!noted.getAndSet(true)) {
                note(request);
            }
        };
        // A write that the fault refuses must not be executed.
        boolean isRefused = request.isWrite() && fault.instead(request, DONE).status() != DONE.status();
        ApiReply reply = fault.instead(request, isRefused ? DONE : right(request, note));
        if (!request.isWatch() || reply.status() != 200) {
            note.run();
        }
        if (reply.status() == 0) {
            new CountDownLatch(1).await();
        }
        boolean isOpenWatch = request.isWatch() && reply.status() == 200;
        if (isOpenWatch) {
            countWatch(request.resource(), 1);
        }
        try {
            send(reply, out);
        } finally {
            if (isOpenWatch) {
                countWatch(request.resource(), -1);
            }
            note.run();
        }
    }

    private static void send(ApiReply reply, OutputStream out) throws IOException, InterruptedException {
        StringBuilder head =
                new StringBuilder("HTTP/1.1 " + reply.status() + " Status\r\nTransfer-Encoding: chunked\r\n");
        reply.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        reply.body().writeTo(new Chunks(out));
        out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private synchronized void countWatch(String resource, int delta) {
        kind(resource).openWatches += delta;
        notifyAll();
    }

    private void note(Request request) {
        while (!requests.offer(request)) {
            requests.poll();
        }
    }

    /** Pieces as chunks of HTTP. */
    private record Chunks(OutputStream out) implements ApiReply.Pieces {
        @Override
        public void write(byte[] bytes) throws IOException {
            if (bytes.length > 0) {
                out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.UTF_8));
                out.write(bytes);
                out.write("\r\n".getBytes(StandardCharsets.UTF_8));
            }
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    // ---- responses without faults ----

    private ApiReply right(Request request, Runnable note) {
        if (!token.isEmpty() && !("Bearer " + token).equals(request.headers().get("authorization"))) {
            return ApiReply.refusal(401, "Unauthorized", "Unauthorized");
        }
        if (request.path().equals("/version")) {
            return ApiReply.json(200, "{\"major\": \"1\", \"minor\": \"33\", \"gitVersion\": \"v1.33.0\"}");
        }
        if (!request.headers().getOrDefault("accept", ApiReply.JSON).matches(".*(application/json|\\*/\\*).*")) {
            return ApiReply.refusal(406, "NotAcceptable", "only application/json is supported");
        }
        if (request.isWrite()) {
            return write(request);
        }
        if (!request.name().isEmpty()) {
            return get(request);
        }
        return request.isWatch() ? watch(request, note) : list(request);
    }

    // ---- one object ----

    private synchronized ApiReply get(Request request) {
        byte[] object = kind(request.resource()).objects.get(request.prefix() + request.name());
        return object == null
                ? notFound(request.resource(), request.name())
                : ApiReply.json(200, new String(object, StandardCharsets.UTF_8));
    }

    private static ApiReply notFound(String resource, String name) {
        return ApiReply.refusal(404, "NotFound", resource + " '" + name + "' not found");
    }

    private static ApiReply conflict(String text) {
        return ApiReply.refusal(409, "Conflict", text);
    }

    private synchronized ApiReply write(Request request) {
        Map<String, @Nullable Object> body;
        try {
            body = request.body().isEmpty() ? Map.of() : JsonValue.object(request.body());
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            return ApiReply.refusal(400, "BadRequest", "the body is not a JSON object");
        }
        return switch (request.method()) {
            case "POST" -> create(request, body);
            case "PUT" -> replace(request, body);
            case "DELETE" -> delete(request, body);
            default -> ApiReply.refusal(405, "MethodNotAllowed", request.method());
        };
    }

    private static String text(Map<String, @Nullable Object> object, String member) {
        return object.get(member) instanceof String text ? text : "";
    }

    private @Nullable Map<String, @Nullable Object> stored(String resource, String name) {
        byte[] json = kind(resource).objects.get(name);
        return json == null ? null : JsonValue.object(new String(json, StandardCharsets.UTF_8));
    }

    private ApiReply create(Request request, Map<String, @Nullable Object> body) {
        Map<String, @Nullable Object> metadata = JsonValue.members(body.get("metadata"));
        String name = request.prefix() + text(metadata, "name");
        String namespace = request.prefix().replace("/", "");
        if (!namespace.isEmpty() && !kind("namespaces").objects.containsKey(namespace)) {
            return notFound("namespaces", namespace);
        }
        if (!text(metadata, "namespace").equals(namespace)) {
            return ApiReply.refusal(400, "BadRequest", "the namespace is not that of the request");
        }
        if (kind(request.resource()).objects.containsKey(name)) {
            return ApiReply.refusal(409, "AlreadyExists", request.resource() + " '" + name + "' already exists");
        }
        metadata.put("uid", "uid-" + (revision + 1));
        return ApiReply.json(201, store(request, name, body, metadata, null));
    }

    private ApiReply replace(Request request, Map<String, @Nullable Object> body) {
        String name = request.prefix() + request.name();
        Map<String, @Nullable Object> before = stored(request.resource(), name);
        if (before == null) {
            return notFound(request.resource(), request.name());
        }
        Map<String, @Nullable Object> old = JsonValue.members(before.get("metadata"));
        Map<String, @Nullable Object> metadata = JsonValue.members(body.get("metadata"));
        String version = text(metadata, "resourceVersion");
        if (!version.isEmpty() && !version.equals(text(old, "resourceVersion"))) {
            return conflict("the object has been modified");
        }
        String refusal = request.resource().equals("services") ? ServiceWrites.refusal(body, before) : "";
        if (!refusal.isEmpty()) {
            return ApiReply.refusal(422, "Invalid", refusal);
        }
        metadata.put("uid", old.get("uid"));
        return ApiReply.json(200, store(request, name, body, metadata, before));
    }

    /** Stores an object with the fields that a server adds; an unchanged object keeps its version. */
    private String store(
            Request request,
            String name,
            Map<String, @Nullable Object> body,
            Map<String, @Nullable Object> metadata,
            @Nullable Map<String, @Nullable Object> before) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>(body);
        Type type = Type.of(request.resource());
        object.put("apiVersion", type.apiVersion());
        object.put("kind", type.kind());
        object.remove("status");
        if (before != null) {
            metadata.put(
                    "resourceVersion", JsonValue.members(before.get("metadata")).get("resourceVersion"));
            if (before.containsKey("status")) {
                object.put("status", before.get("status"));
            }
        }
        object.put("metadata", metadata);
        if (request.resource().equals("services")) {
            ServiceWrites.complete(object, before, revision);
        }
        if (object.equals(before)) {
            return JsonValue.text(object);
        }
        metadata.remove("resourceVersion");
        // The last member, as delete() expects.
        metadata.put("resourceVersion", Long.toString(++revision));
        String json = JsonValue.text(object);
        byte[] bytes = bytes(json);
        kind(request.resource()).objects.put(name, bytes);
        addEvent(request.resource(), name, before == null ? "ADDED" : "MODIFIED", bytes);
        return json;
    }

    private ApiReply delete(Request request, Map<String, @Nullable Object> body) {
        String name = request.prefix() + request.name();
        Map<String, @Nullable Object> before = stored(request.resource(), name);
        if (before == null) {
            return notFound(request.resource(), request.name());
        }
        Map<String, @Nullable Object> wanted = JsonValue.members(body.get("preconditions"));
        Map<String, @Nullable Object> metadata = JsonValue.members(before.get("metadata"));
        for (String one : List.of("uid", "resourceVersion")) {
            if (wanted.containsKey(one) && !text(wanted, one).equals(text(metadata, one))) {
                return conflict("Precondition failed: " + one);
            }
        }
        delete(request.resource(), name, "");
        return ApiReply.json(200, "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Success\"}");
    }

    // ---- many objects ----

    private synchronized ApiReply list(Request request) {
        String token = request.parameters().getOrDefault("continue", "");
        String moment = token.isEmpty() ? Long.toString(revision) : token.substring(0, token.indexOf(' '));
        int from = token.isEmpty() ? 0 : Integer.parseInt(token.substring(moment.length() + 1));
        List<byte[]> all = token.isEmpty() ? matching(request) : pages.get(moment + request.path());
        if (all == null) {
            return ApiReply.refusal(410, "Expired", "The provided continue parameter is too old");
        }
        // A list of any version is not paged, as in the watch cache of a real server.
        boolean any = request.parameters().getOrDefault("resourceVersion", "").equals("0");
        int asked = any ? 0 : Integer.parseInt(request.parameters().getOrDefault("limit", "0"));
        int to = (int) Math.min(all.size(), (long) from + Math.min(maxPage, asked == 0 ? all.size() : asked));
        String more = "";
        if (to < all.size()) {
            pages.put(moment + request.path(), all);
            more = ", \"continue\": \"" + moment + " " + to + "\"";
        } else if (!token.isEmpty()) {
            pages.remove(moment + request.path());
        }
        String head = listHead(request.resource(), moment, more);
        List<byte[]> items = all.subList(from, to);
        ApiReply reply = new ApiReply(200, Map.of("Content-Type", ApiReply.JSON), out -> {
            out.write(bytes(head));
            for (int i = 0; i < items.size(); i++) {
                out.write(bytes(i == 0 ? "" : ",\n"));
                out.write(items.get(i));
            }
            out.write(bytes("]}"));
        });
        boolean isLarge = items.stream().mapToLong(item -> item.length).sum() > COMPRESSED_BYTES;
        return compresses
                        && isLarge
                        && request.headers().getOrDefault("accept-encoding", "").contains("gzip")
                ? compressed(reply)
                : reply;
    }

    private List<byte[]> matching(Request request) {
        String prefix = request.prefix();
        Collection<byte[]> all = prefix.isEmpty()
                ? kind(request.resource()).objects.values()
                : kind(request.resource())
                        .objects
                        .subMap(prefix, prefix + Character.MAX_VALUE)
                        .values();
        return List.copyOf(all);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ApiReply compressed(ApiReply reply) {
        return reply.with("Content-Encoding", "gzip").with(out -> {
            try (OutputStream packed = new GZIPOutputStream(new OutputStream() {
                @Override
                public void write(int next) throws IOException {
                    out.write(new byte[] {(byte) next});
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    out.write(Arrays.copyOfRange(bytes, from, from + length));
                }
            })) {
                reply.body().writeTo(new ApiReply.Pieces() {
                    @Override
                    public void write(byte[] bytes) throws IOException {
                        packed.write(bytes);
                    }

                    @Override
                    public void flush() throws IOException {
                        packed.flush();
                    }
                });
            }
        });
    }

    private synchronized ApiReply watch(Request request, Runnable note) {
        String version = request.parameters().getOrDefault("resourceVersion", "");
        boolean fromNow = request.parameters().containsKey("sendInitialEvents") || version.isEmpty();
        long since = fromNow ? revision : Long.parseLong(version);
        if (since < kind(request.resource()).compacted) {
            return ApiReply.refusal(410, "Expired", "too old resource version: " + since + " (" + revision + ")");
        }
        return new ApiReply(200, Map.of("Content-Type", ApiReply.JSON), out -> {
            Watch watch = begin(request, since);
            try {
                note.run();
                out.flush();
                send(request, watch, out);
            } finally {
                synchronized (this) {
                    kind(request.resource()).watches.remove(watch);
                }
            }
        });
    }

    private synchronized Watch begin(Request request, long since) {
        Kind kind = kind(request.resource());
        Watch watch = new Watch(request.prefix());
        if (request.parameters().containsKey("sendInitialEvents")) {
            matching(request).forEach(object -> watch.events.add(line("ADDED", object)));
            String end = ", \"annotations\": {\"k8s.io/initial-events-end\": \"true\"}";
            watch.events.add(line("BOOKMARK", bytes(bookmarkObject(request.resource(), end))));
        }
        for (Event event : kind.history) {
            if (event.revision > since && event.name.startsWith(watch.prefix)) {
                watch.events.add(event.line);
            }
        }
        kind.watches.add(watch);
        return watch;
    }

    /** Sends events, and bookmarks while there are none, until the timeout of the request. */
    private void send(Request request, Watch watch, ApiReply.Pieces out) throws IOException, InterruptedException {
        long seconds = Long.parseLong(request.parameters().getOrDefault("timeoutSeconds", "1800"));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            byte[] event = watch.events.poll(Math.min(left, BOOKMARKS.toNanos()), TimeUnit.NANOSECONDS);
            if (event == END) {
                return;
            }
            if (event != null) {
                out.write(event);
            } else if (request.parameters().containsKey("allowWatchBookmarks")) {
                out.write(bookmark(request.resource(), watch));
            }
            if (watch.events.isEmpty()) {
                out.flush();
            }
        }
    }

    private synchronized byte[] bookmark(String resource, Watch watch) {
        // Events that are not sent yet are older than the bookmark would be.
        return watch.events.isEmpty() ? line("BOOKMARK", bytes(bookmarkObject(resource, ""))) : END;
    }
}
