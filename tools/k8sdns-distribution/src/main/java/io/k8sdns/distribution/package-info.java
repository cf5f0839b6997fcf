/**
 * Makes what the distribution has besides the jars: {@code CommandFiles} writes the sources of manual pages and the completion of shells,
 * {@code TrainingRun} is the run whose classes are archived. The jar of this module starts the command, so that the archive, which fits
 * one class path, can be made by classes that are in no published jar.
 */
@org.jspecify.annotations.NullMarked
package io.k8sdns.distribution;
