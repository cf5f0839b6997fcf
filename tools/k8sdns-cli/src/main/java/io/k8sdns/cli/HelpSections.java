package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.IHelpSectionRenderer;
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
        Map<String, IHelpSectionRenderer> sections = commandLine.getHelpSectionMap();
        sections.put(UsageMessageSpec.SECTION_KEY_DESCRIPTION, HelpSections::description);
        sections.put(
                UsageMessageSpec.SECTION_KEY_PARAMETER_LIST,
                help -> help.parameterList(layout(help), help.parameterLabelRenderer()));
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpSections::render);
    }

    private static String description(Help help) {
        UsageMessageSpec message = help.commandSpec().usageMessage();
        return Arrays.stream(message.description())
                .flatMap(line -> lines(help.colorScheme().text(line), message.width(), 0).stream())
                .map(line -> line + System.lineSeparator())
                .collect(Collectors.joining());
    }

    private static String render(Help help) {
        Map<String, List<OptionSpec>> sections = new LinkedHashMap<>();
        sections.put(OWN, new ArrayList<>());
        for (OptionSpec option : help.commandSpec().options()) {
            sections.computeIfAbsent(heading(option), any -> new ArrayList<>()).add(option);
        }
        return sections.entrySet().stream()
                .map(section -> {
                    Help.Layout layout = layout(help);
                    layout.addOptions(section.getValue(), help.createDefaultParamLabelRenderer());
                    return System.lineSeparator() + section.getKey() + System.lineSeparator() + layout;
                })
                .collect(Collectors.joining());
    }

    /** Returns a layout that breaks descriptions only at blanks. picocli also breaks within words, for example after "resolv.". */
    private static Help.Layout layout(Help help) {
        Help.Layout standard = help.createDefaultLayout();
        Help.TextTable table = standard.textTable();
        Help.Column last = table.columns()[table.columns().length - 1];
        UnaryOperator<Text[][]> wrapped = rows -> wrapped(rows, last.width - last.indent, table.indentWrappedLines);
        return new Help.Layout(
                help.colorScheme(),
                table,
                (option, labels, colors) ->
                        wrapped.apply(standard.optionRenderer().render(option, labels, colors)),
                (parameter, labels, colors) ->
                        wrapped.apply(standard.parameterRenderer().render(parameter, labels, colors)));
    }

    /** Divides the last cell of each row into lines, each in a row of its own. */
    private static Text[][] wrapped(Text[][] rows, int width, int indent) {
        List<Text[]> wrapped = new ArrayList<>();
        for (Text[] row : rows) {
            Text[] next = row;
            for (Text line : lines(row[row.length - 1], width, indent)) {
                next = next.clone();
                next[next.length - 1] = line;
                wrapped.add(next);
                next = new Text[row.length];
                Arrays.fill(next, Help.Ansi.OFF.text(""));
            }
        }
        return wrapped.toArray(Text[][]::new);
    }

    /**
     * Divides a text into lines at its blanks. A word that is longer than a line is divided.
     *
     * @param indent the number of blanks before all lines but the first
     */
    private static List<Text> lines(Text text, int width, int indent) {
        String plain = text.plainString();
        List<Text> lines = new ArrayList<>();
        int start = 0;
        do {
            Text margin = Help.Ansi.OFF.text(" ".repeat(start == 0 ? 0 : indent));
            int room = width - margin.plainString().length();
            int end = plain.length();
            if (end - start > room) {
                int blank = plain.lastIndexOf(' ', start + room);
                end = blank > start ? blank : start + room;
            }
            lines.add(margin.concat(text.substring(start, end)));
            start = end;
            while (start < plain.length() && plain.charAt(start) == ' ') {
                start++;
            }
        } while (start < plain.length());
        return lines;
    }

    /** Returns the heading of an option. */
    static String heading(OptionSpec option) {
        return option.userObject() instanceof String heading ? heading : OWN;
    }
}
