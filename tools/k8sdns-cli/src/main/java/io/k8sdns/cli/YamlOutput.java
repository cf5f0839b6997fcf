package io.k8sdns.cli;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Formats the output of the command as YAML: each object is a document, after {@code ---}. */
final class YamlOutput {
    private YamlOutput() {}

    /** Returns a document with an object; it ends with a line break. */
    static String of(OutputObject object) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setExplicitStart(true);
        options.setSplitLines(false);
        options.setAllowUnicode(false);
        return new Yaml(options).dump(object.toMap());
    }
}
