package io.k8sdns.micrometer;

import java.util.List;
import java.util.function.IntFunction;

/** The numbers of DNS that are told apart in a label, and the one value of all others. */
final class LabelValues {
    private final byte[] places;
    private final List<String> labels;

    /**
     * Makes them.
     *
     * @param values fewer than 128, each from 0 to 65,535
     * @param text what each is called
     */
    LabelValues(List<Integer> values, IntFunction<String> text) {
        this.labels = values.stream().map(text::apply).toList();
        this.places = new byte[values.stream().mapToInt(value -> value).max().orElse(-1) + 1];
        for (int value = 0; value < places.length; value++) {
            int place = values.indexOf(value);
            places[value] = (byte) (place < 0 ? values.size() : place);
        }
    }

    /** Returns how many there are, with the one of all others. */
    int count() {
        return labels.size() + 1;
    }

    /** Returns the place of a value, from 0; that of all others is the last one. */
    int place(int value) {
        return value < places.length ? places[value] : labels.size();
    }

    String label(int place) {
        return place < labels.size() ? labels.get(place) : LabelledMeters.OTHER;
    }
}
