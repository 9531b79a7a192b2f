import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/** Runs a topology with two persistent stores under an exported class, and keeps the OPTIONS files of both. */
public final class Load {
    public static void main(final String[] arguments) throws Exception {
        final Path states = Path.of(arguments[0]);
        final Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "load");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:9");
        settings.put(StreamsConfig.STATE_DIR_CONFIG, states.toString());
        settings.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TunedRocksDbConfig.class);
        final StreamsBuilder builder = new StreamsBuilder();
        for (final String name : List.of("first", "second")) {
            builder.table(
                    name + "-topic",
                    Consumed.with(Serdes.String(), Serdes.String()),
                    Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(name));
        }
        // Twice in one process: the shared cache has to be made anew after the last store has closed it.
        for (int round = 0; round < 2; round++) {
            try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), settings)) {
                driver.createInputTopic("first-topic", new StringSerializer(), new StringSerializer()).pipeInput("k", "v");
                if (!"v".equals(driver.getTimestampedKeyValueStore("first").get("k").value())) {
                    throw new IllegalStateException("the store lost its value");
                }
                try (Stream<Path> files = Files.walk(states)) {
                    for (final Path file : files.filter(each -> each.getFileName().toString().startsWith("OPTIONS-"))
                            .collect(Collectors.toList())) {
                        final String store = file.getParent().getFileName().toString();
                        final Path kept = Path.of(arguments[1], round + "-" + store + "-" + file.getFileName());
                        Files.copy(file, kept, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }
}
