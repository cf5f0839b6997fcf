package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Groups the options in {@code --help} under the headings they are declared with, in the order of declaration, because a single
 * alphabetical list of two dozen options is hard to read.
 */
final class HelpSections {
    /** The heading of options that the command declares itself. */
    static final String OWN = "Options:";

    private HelpSections() {}

    /** Installs the help of a command and of its sub-commands. */
    static void install(CommandLine commandLine) {
        commandLine.getSubcommands().values().forEach(HelpSections::install);
        commandLine.setUsageHelpWidth(100);
        commandLine.getCommandSpec().usageMessage().sortOptions(false).abbreviateSynopsis(true);
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpSections::render);
    }

    private static String render(Help help) {
        Map<String, List<OptionSpec>> sections = new LinkedHashMap<>();
        sections.put(OWN, new ArrayList<>());
        for (OptionSpec option : help.commandSpec().options()) {
            sections.computeIfAbsent(heading(option), any -> new ArrayList<>()).add(option);
        }
        return sections.entrySet().stream()
                .map(section -> {
                    Help.Layout layout = help.createDefaultLayout();
                    layout.addOptions(section.getValue(), help.createDefaultParamLabelRenderer());
                    return System.lineSeparator() + section.getKey() + System.lineSeparator() + layout;
                })
                .collect(Collectors.joining());
    }

    /** Returns the heading of an option. */
    static String heading(OptionSpec option) {
        return option.userObject() instanceof String heading ? heading : OWN;
    }
}
