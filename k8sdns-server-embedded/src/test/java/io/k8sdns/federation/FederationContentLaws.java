package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.FederationKey.ServiceKey;
import io.k8sdns.model.IpAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A content never changes, so that each question is answered from a consistent snapshot of the store. */
class FederationContentLaws {
    private static final ServiceKey CART = new ServiceKey("prod", "shop", "cart");
    private static final ServiceKey DB = new ServiceKey("prod", "shop", "db");

    @Property(tries = 200)
    void aBuilderDoesNotChangeEarlierContents(@ForAll long seed) {
        Random random = new Random(seed);
        List<FederationContent> contents = new ArrayList<>(List.of(FederationContent.EMPTY));
        List<Map<ServiceKey, Map<String, Shard>>> copies = new ArrayList<>(List.of(Map.of()));
        for (int i = 0; i < 20; i++) {
            FederationContent.Builder builder = contents.get(i).toBuilder();
            for (int j = random.nextInt(4); j >= 0; j--) {
                FederationKey.OfShard key =
                        new FederationKey.OfShard(random.nextBoolean() ? CART : DB, "c" + random.nextInt(3));
                if (random.nextInt(3) == 0) {
                    builder.remove(key);
                } else {
                    builder.put(key, shard(random.nextInt(200)));
                }
            }
            contents.add(builder.build());
            copies.add(copy(contents.get(i + 1)));
        }
        for (int i = 0; i < contents.size(); i++) {
            FederationContent content = contents.get(i);
            if (!copies.get(i).isEmpty()) {
                assertThat(copy(content)).isEqualTo(copies.get(i));
            }
            assertThat(content.isEmpty())
                    .isEqualTo(
                            content.shards(CART).isEmpty() && content.shards(DB).isEmpty());
            assertThat(content.hasNamespace("prod", "shop")).isEqualTo(!content.isEmpty());
        }
    }

    private static Shard shard(int number) {
        return Shard.builder()
                .externalAddresses(List.of(IpAddress.parse("192.0.2." + number)))
                .build();
    }

    private static Map<ServiceKey, Map<String, Shard>> copy(FederationContent content) {
        Map<ServiceKey, Map<String, Shard>> copy = new HashMap<>();
        copy.put(CART, new HashMap<>(content.shards(CART)));
        copy.put(DB, new HashMap<>(content.shards(DB)));
        return copy;
    }
}
