package io.k8sdns.cli;

import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.Expectation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes the result of {@code verify} as JUnit's XML report: a test case for each question, a failure for each difference, with
 * the reason of what is expected as its text. A case whose differences are all explained is skipped, with the explanation.
 */
final class JunitReport {
    private final String server;
    private final Function<Difference, Optional<String>> explanation;
    private final Function<Difference, String> reason;
    private final InventedExpectations invented;

    JunitReport(
            String server,
            Function<Difference, Optional<String>> explanation,
            Function<Difference, String> reason,
            InventedExpectations invented) {
        this.server = server;
        this.explanation = explanation;
        this.reason = reason;
        this.invented = invented;
    }

    void print(List<Expectation> questions, List<Difference> differences, PrintWriter out) {
        Map<Expectation, List<Difference>> found = new LinkedHashMap<>();
        differences.forEach(difference -> found.computeIfAbsent(difference.expectation(), any -> new ArrayList<>())
                .add(difference));
        long failed = found.values().stream().filter(some -> !isExplained(some)).count();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeCharacters("\n");
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "k8sdns verify " + server);
            xml.writeAttribute("tests", Integer.toString(questions.size()));
            xml.writeAttribute("failures", Long.toString(failed));
            xml.writeAttribute("errors", "0");
            xml.writeAttribute("skipped", Long.toString(found.size() - failed));
            for (Expectation question : questions) {
                xml.writeCharacters("\n  ");
                printCase(question, found.getOrDefault(question, List.of()), xml);
            }
            xml.writeCharacters("\n");
            xml.writeEndElement();
            xml.writeCharacters("\n");
            xml.writeEndDocument();
            xml.flush();
        } catch (XMLStreamException impossible) {
            // A PrintWriter does not throw.
            throw new IllegalStateException(impossible);
        }
    }

    private void printCase(Expectation question, List<Difference> differences, XMLStreamWriter xml)
            throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute(
                "classname",
                question.objects().isEmpty()
                        ? "zone"
                        : question.objects().get(0).toString());
        xml.writeAttribute("name", question.name() + " " + question.type());
        if (!differences.isEmpty() && isExplained(differences)) {
            xml.writeEmptyElement("skipped");
            xml.writeAttribute(
                    "message", text(explanation.apply(differences.get(0)).orElse("")));
        } else {
            for (Difference difference : differences) {
                if (explanation.apply(difference).isEmpty()) {
                    xml.writeStartElement("failure");
                    xml.writeAttribute("message", text(invented.line(difference)));
                    xml.writeCharacters(text("because: " + reason.apply(difference)));
                    xml.writeEndElement();
                }
            }
        }
        xml.writeEndElement();
    }

    private boolean isExplained(List<Difference> differences) {
        return differences.stream()
                .allMatch(difference -> explanation.apply(difference).isPresent());
    }

    /** Replaces the characters that XML cannot contain. */
    private static String text(String text) {
        return text.replaceAll("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD]", "?");
    }
}
