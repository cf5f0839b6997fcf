package io.k8sdns.wire;

import io.k8sdns.records.RecordSet;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Puts the addresses of an answer into the order of a responder. Both paths give the same order if message id and random numbers are
 * equal.
 */
final class AddressOrder {
    private final AnswerOrder order;

    /** Present if the order is random. */
    private final Optional<RandomGenerator> random;

    AddressOrder(AnswerOrder order, Optional<RandomGenerator> random) {
        this.order = order;
        this.random = random;
    }

    /** Returns the records of a set in the order to send; only addresses change theirs. */
    List<Record> ordered(RecordSet set, int id) {
        List<Record> records = set.records();
        int count = records.size();
        if (order == AnswerOrder.STABLE || count == 1 || set.typeNumber() != Type.A && set.typeNumber() != Type.AAAA) {
            return records;
        }
        if (isRandom()) {
            int[] indexes = shuffle(new int[count], count, count);
            return new Reordered(records, i -> indexes[i]);
        }
        int first = first(id, count);
        return new Reordered(records, i -> i + first < count ? i + first : i + first - count);
    }

    /** Returns whether {@link #shuffle} gives the order; if not, the addresses follow one another, beginning at {@link #first}. */
    boolean isRandom() {
        return order == AnswerOrder.SHUFFLE;
    }

    /** Returns the index of the address to send first; 0 unless the order depends on the message id. */
    int first(int id, int count) {
        return order == AnswerOrder.ROTATE && count > 1 ? id % count : 0;
    }

    /**
     * Writes the indexes from 0 to {@code count - 1} to an array, the first ones chosen and ordered at random, and returns it.
     *
     * @param sent the number of addresses that are sent, for which random numbers are drawn
     */
    int[] shuffle(int[] indexes, int count, int sent) {
        for (int i = 0; i < count; i++) {
            indexes[i] = i;
        }
        RandomGenerator generator = random.orElseThrow();
        for (int i = 0; i < sent && i < count - 1; i++) {
            int other = i + generator.nextInt(count - i);
            int index = indexes[i];
            indexes[i] = indexes[other];
            indexes[other] = index;
        }
        return indexes;
    }

    /** A view of records in another order. Not a copy, because a message may have room for a few of thousands of records. */
    private static final class Reordered extends AbstractList<Record> {
        private final List<Record> records;
        private final IntUnaryOperator indexes;

        Reordered(List<Record> records, IntUnaryOperator indexes) {
            this.records = records;
            this.indexes = indexes;
        }

        @Override
        public int size() {
            return records.size();
        }

        @Override
        public Record get(int index) {
            return records.get(indexes.applyAsInt(index));
        }
    }
}
