import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Runs a job with keyed state on a local cluster that reads an exported config.yaml, and keeps RocksDB's files of it. */
public final class Load {
    private static final long LAST = 999;

    /** Counts elements by key; keeps the files of the database while it is open, as Flink removes them with the job. */
    private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1;
        private final String databases;
        private final String kept;
        private transient ValueState<Long> count;

        Count(final String databases, final String kept) {
            this.databases = databases;
            this.kept = kept;
        }

        @Override
        public void open(final OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("counted", Types.LONG));
        }

        @Override
        public void processElement(final Long element, final Context context, final Collector<Long> out)
                throws Exception {
            final Long before = count.value();
            count.update(before == null ? 1 : before + 1);
            if (element == LAST) {
                keep();
            }
        }

        private void keep() throws IOException {
            try (Stream<Path> files = Files.walk(Path.of(databases))) {
                for (final Path file : (Iterable<Path>) files::iterator) {
                    final String name = file.getFileName().toString();
                    if (name.startsWith("OPTIONS-") || name.endsWith("LOG")) {
                        Files.copy(file, Path.of(kept, name), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }

    public static void main(final String[] arguments) throws Exception {
        final Configuration settings = GlobalConfiguration.loadConfiguration(arguments[0]);
        settings.setString("state.backend.type", "rocksdb");
        settings.setString("state.backend.rocksdb.localdir", arguments[1]);
        settings.setString("state.backend.rocksdb.log.level", "INFO_LEVEL");
        settings.setString("rest.bind-port", "0");
        final StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setParallelism(1);
        environment
                .fromSequence(0, LAST)
                .keyBy(number -> number % 10)
                .process(new Count(arguments[1], arguments[2]))
                .print();
        environment.execute();
        if (List.of(new java.io.File(arguments[2]).list()).isEmpty()) {
            throw new IllegalStateException("no state was kept in " + arguments[1]);
        }
    }
}
