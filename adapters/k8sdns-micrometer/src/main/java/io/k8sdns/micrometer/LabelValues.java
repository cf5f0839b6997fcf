package io.k8sdns.micrometer;

import java.util.List;
import java.util.function.IntFunction;

/** Maps DNS numbers to label values: one for each listed number, and {@code other} for the rest. */
final class LabelValues {
    private final byte[] indexes;
    private final List<String> labels;

    /**
     * Creates the mapping.
     *
     * @param values fewer than 128, each from 0 to 65,535
     * @param text returns the label value of a number
     */
    LabelValues(List<Integer> values, IntFunction<String> text) {
        this.labels = values.stream().map(text::apply).toList();
        this.indexes = new byte[values.stream().mapToInt(value -> value).max().orElse(-1) + 1];
        for (int value = 0; value < indexes.length; value++) {
            int index = values.indexOf(value);
            indexes[value] = (byte) (index < 0 ? values.size() : index);
        }
    }

    /** Returns the number of label values, including {@code other}. */
    int count() {
        return labels.size() + 1;
    }

    /** Returns the index of the label value of a number; the last index is that of {@code other}. */
    int index(int value) {
        return value < indexes.length ? indexes[value] : labels.size();
    }

    String label(int index) {
        return index < labels.size() ? labels.get(index) : LabelledMeters.OTHER;
    }
}
