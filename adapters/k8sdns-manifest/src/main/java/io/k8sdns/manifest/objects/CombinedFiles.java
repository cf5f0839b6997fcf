package io.k8sdns.manifest.objects;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The result of combining the contents of all files: a cluster, unless strict options refuse the files. */
public sealed interface CombinedFiles {
    /**
     * The cluster that the files make together.
     *
     * @param invented the addresses that completion chose
     * @param workloads the workload of each Pod that completion made
     * @param positions where the files hold the objects and the idle workloads of the cluster; of a Pod that was made, its workload
     * @param diagnostics the notes and warnings, in the order of the files
     * @param refusals those of them because of which an API server refuses an object of the cluster
     * @param summaryLines the summary, in parts of one line each
     * @param kubeDnsData the data of the ConfigMap {@link FileReading#KUBE_DNS}; empty if there is none
     */
    record Cluster(
            ClusterSnapshot snapshot,
            Set<IpAddress> invented,
            Map<ObjectRef, ObjectRef> workloads,
            Map<ObjectRef, Position> positions,
            List<Diagnostic> diagnostics,
            List<Diagnostic> refusals,
            List<String> summaryLines,
            Optional<Map<String, String>> kubeDnsData)
            implements CombinedFiles {
        /** Copies the collections. */
        public Cluster {
            invented = Set.copyOf(invented);
            workloads = Map.copyOf(workloads);
            positions = Map.copyOf(positions);
            diagnostics = List.copyOf(diagnostics);
            refusals = List.copyOf(refusals);
            summaryLines = List.copyOf(summaryLines);
        }
    }

    /**
     * The files are refused, because a part of them would be omitted and the options are strict.
     *
     * @param problems at least one, in the order of the files
     * @param invented the addresses that completion chose, and that problems may name
     * @param workloads the workload of each Pod that completion made
     */
    record Refused(List<Diagnostic> problems, Set<IpAddress> invented, Map<ObjectRef, ObjectRef> workloads)
            implements CombinedFiles {
        /** Copies the collections. */
        public Refused {
            problems = List.copyOf(problems);
            invented = Set.copyOf(invented);
            workloads = Map.copyOf(workloads);
        }
    }

    /** Combines the contents of files, with the options of the caller. */
    @FunctionalInterface
    interface Combiner {
        /**
         * Combines files.
         *
         * @param files the contents in order; later ones override earlier ones
         * @param skipped the diagnostics of skipped files, which strict options refuse
         * @param remarks additional diagnostics, which strict options do not refuse
         */
        CombinedFiles combine(List<FileContents> files, List<Diagnostic> skipped, List<Diagnostic> remarks);
    }
}
