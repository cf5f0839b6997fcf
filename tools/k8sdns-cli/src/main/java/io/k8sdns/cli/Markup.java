package io.k8sdns.cli;

import java.io.PrintWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes elements of SVG and HTML. Escapes all texts and attributes. Characters that XML or HTML cannot contain, and those that
 * reverse or hide text, are printed as in messages ({@code \}{@code u202E}), because names of manifests can contain any characters.
 */
final class Markup {
    private static final String OPEN = "/*<![CDATA[";
    private static final String CLOSE = "]]>*/";

    private final XMLStreamWriter xml;

    Markup(PrintWriter out) {
        try {
            xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** An operation of the JDK's writer. It fails only if the writer below throws, which a {@link PrintWriter} does not. */
    @FunctionalInterface
    private interface Operation {
        void run() throws XMLStreamException;
    }

    private static void run(Operation operation) {
        try {
            operation.run();
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Writes the document type of HTML. */
    Markup html() {
        run(() -> xml.writeDTD("<!DOCTYPE html>\n"));
        return this;
    }

    /**
     * Begins an element.
     *
     * @param attributes names and values by turns
     */
    Markup start(String name, String... attributes) {
        run(() -> xml.writeStartElement(name));
        return attributes(attributes);
    }

    /** Writes an element without content; see {@link #start}. */
    Markup empty(String name, String... attributes) {
        run(() -> xml.writeEmptyElement(name));
        return attributes(attributes);
    }

    private Markup attributes(String... attributes) {
        for (int i = 0; i < attributes.length; i += 2) {
            String name = attributes[i];
            String value = printable(attributes[i + 1]);
            run(() -> xml.writeAttribute(name, value));
        }
        return this;
    }

    /** Returns a text as messages print it, without the two characters that are printable but not of XML. */
    private static String printable(String text) {
        return PrintableWriter.printable(text).replace("\uFFFE", "\\uFFFE").replace("\uFFFF", "\\uFFFF");
    }

    /** Ends the last element that has begun and not ended. */
    Markup end() {
        run(xml::writeEndElement);
        return this;
    }

    /** Writes a text. */
    Markup text(String text) {
        run(() -> xml.writeCharacters(printable(text)));
        return this;
    }

    /** Writes an element that contains only a text. */
    Markup element(String name, String text, String... attributes) {
        return start(name, attributes).text(text).end();
    }

    /** Begins a new line, for those who read the file. */
    Markup line() {
        run(() -> xml.writeCharacters("\n"));
        return this;
    }

    /**
     * Writes a style sheet or a script as it is. Its text must be that of {@link #inline}, which neither HTML nor XML escapes.
     */
    Markup code(String name, String inline) {
        start(name);
        run(() -> {
            xml.writeCharacters("/*");
            xml.writeCData(inline.substring(OPEN.length(), inline.length() - CLOSE.length()));
            xml.writeCharacters("*/");
        });
        return end();
    }

    /** Returns a style sheet or a script of the program as the text of an element: in XML a CDATA section between comment signs. */
    static String inline(String code) {
        if (code.contains("</") || code.contains("<!--") || code.contains("]]>")) {
            throw new IllegalArgumentException("ends its element: " + code);
        }
        return OPEN + "*/\n" + code + "/*" + CLOSE;
    }

    /** Passes everything to the writer below. */
    void flush() {
        run(xml::flush);
    }
}
