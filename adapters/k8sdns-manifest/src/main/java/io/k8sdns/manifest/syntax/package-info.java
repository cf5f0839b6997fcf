/**
 * Internal, not exported: from the bytes of a file to the tokens of its documents.
 *
 * <p>{@code FileSection} splits a file at its {@code ---} lines, so that a broken document does not hide the next one;
 * {@code BinaryFormat} recognizes files that are not text. {@code SectionReader} reads a section as JSON or YAML;
 * {@code YamlTokens} are SnakeYAML's events in the form of {@code io.k8sdns.json.Tokens}.
 */
@NullMarked
package io.k8sdns.manifest.syntax;

import org.jspecify.annotations.NullMarked;
