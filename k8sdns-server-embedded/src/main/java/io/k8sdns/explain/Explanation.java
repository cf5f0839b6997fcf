package io.k8sdns.explain;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.Name;

/**
 * The sources of the records that a name has in a cluster, or the causes why it has none and the suggestions that help.
 *
 * @param name the name, absolute
 * @param type the type
 * @param answer the answer of a server of this cluster; aliases are followed
 * @param sources the source of each record in the answer section, in its order
 * @param causes the reasons why the name does not resolve, the most important first; empty if it resolves. See {@link
 *     #hasUnusableRecords} for an answer with records
 * @param suggestions the changes after which the name resolves, and other names that resolve; each was tried. Those of the name itself, or of
 *     one of which it is probably a misspelt form, come first, otherwise the smallest change. Empty if nothing similar was found; and if
 *     the name resolves, unless an alias leads to the name of a Service with another zone
 */
public record Explanation(
        Name name,
        RecordType type,
        Answer answer,
        List<Source> sources,
        List<Cause> causes,
        List<Suggestion> suggestions) {
    /** Copies the lists. */
    @Internal
    public Explanation {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(answer, "answer");
        sources = Copies.list("sources", sources);
        causes = Copies.list("causes", causes);
        suggestions = Copies.list("suggestions", suggestions);
    }

    /**
     * Returns whether the answer has records of the type, or ends in an alias whose target another server answers ({@link
     * #targetOfOtherServer}). An alias alone does not resolve if its target is in a zone of this server and has no such records. Nor do
     * records that cannot be used ({@link #hasUnusableRecords}).
     */
    public boolean resolves() {
        return causes.isEmpty() && resolves(answer, name, type);
    }

    /**
     * Returns whether the answer has records that cannot be used: they are only of objects in manifests that an API server refuses, or an
     * alias whose target is the name of a Service without the zone.
     */
    public boolean hasUnusableRecords() {
        return !causes.isEmpty() && resolves(answer, name, type);
    }

    static boolean resolves(Answer answer, Name name, RecordType type) {
        return answer.status() == AnswerStatus.NOERROR
                && (answer.answer().stream()
                                .anyMatch(set -> type.equals(RecordType.ANY)
                                        || set.type().equals(type))
                        || answer.aliasToResolve(name).isPresent());
    }

    /** Returns the target of the last alias, if another server answers it, and so decides whether it exists; otherwise empty. */
    public Optional<Name> targetOfOtherServer() {
        return targetOfOtherServer(answer, name, type);
    }

    static Optional<Name> targetOfOtherServer(Answer answer, Name name, RecordType type) {
        return type.equals(RecordType.CNAME) || type.equals(RecordType.ANY)
                ? Optional.empty()
                : answer.aliasToResolve(name);
    }

    /**
     * The source of a record.
     *
     * @param record the record in zone file format, as {@link io.k8sdns.records.RecordSet#lines} returns it
     * @param zone the zone of the server that has it, for example {@code cluster.local.} or {@code in-addr.arpa.}; empty for a record of
     *     another zone
     * @param object the object that makes it, or the workload of a Pod whose name is invented; empty for a record of the zone itself, and
     *     for one of another zone
     * @param field the path of its field, for example {@code spec.clusterIPs[0]}; empty if there is no object, or if the field is unknown
     * @param rule the section that describes the record, for example {@code specification 2.3.1}; empty if it is unknown
     */
    public record Source(String record, Optional<Name> zone, Optional<ObjectRef> object, String field, String rule) {
        /** Checks that nothing is null. */
        @Internal
        public Source {
            Objects.requireNonNull(record, "record");
            Objects.requireNonNull(zone, "zone");
            Objects.requireNonNull(object, "object");
            Objects.requireNonNull(field, "field");
            Objects.requireNonNull(rule, "rule");
        }
    }

    /**
     * A reason why there are no records.
     *
     * @param object the object that is missing, or whose field is the reason, or the workload whose template is; empty if the name
     *     itself is
     * @param field the path of the field; empty if the object or the name is the reason
     * @param text the reason, a sentence without a full stop
     * @param position the position in a manifest, of a reason that was found when it was read; otherwise empty
     */
    public record Cause(Optional<ObjectRef> object, String field, String text, Optional<Position> position) {
        /** Makes a cause that was not found when a manifest was read. */
        @Internal
        public Cause(Optional<ObjectRef> object, String field, String text) {
            this(object, field, text, Optional.empty());
        }

        /** Checks that nothing is null. */
        @Internal
        public Cause {
            Objects.requireNonNull(object, "object");
            Objects.requireNonNull(field, "field");
            Objects.requireNonNull(text, "text");
            Objects.requireNonNull(position, "position");
        }

        /** Returns the object and the field as text; "" if there is no object. */
        @Internal
        public String location() {
            return object.map(ObjectRef::toString).orElse("") + (field.isEmpty() ? "" : ", " + field);
        }

        /** Returns the object and the field, if there are any, then the text. */
        @Override
        public String toString() {
            String location = location();
            return location.isEmpty() ? text : location + ": " + text;
        }
    }

    /**
     * A suggestion: a name that resolves, in the cluster as it is or after a change of objects or of the server.
     *
     * @param text what to do, for example {@code look up cart.shop.svc.cluster.local.}
     * @param name the name that resolves
     * @param type the type of its records
     * @param object the object to edit, or the workload of the Pod to edit; empty if the cluster need not change
     * @param field the path of the field to edit; empty if there is no single one
     * @param changes the objects as they would be after the change; empty if the cluster need not change
     * @param settings the settings that the server would have after the change; empty if they need not change
     */
    public record Suggestion(
            String text,
            Name name,
            RecordType type,
            Optional<ObjectRef> object,
            String field,
            List<ClusterChange> changes,
            Optional<ZoneSettings> settings) {
        /** Copies the list. */
        @Internal
        public Suggestion {
            Objects.requireNonNull(text, "text");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
            Objects.requireNonNull(object, "object");
            Objects.requireNonNull(field, "field");
            changes = Copies.list("changes", changes);
            Objects.requireNonNull(settings, "settings");
        }
    }
}
