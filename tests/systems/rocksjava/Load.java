import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/** Opens a database with an exported class, and prints the capacity of its block cache. */
public final class Load {
    public static void main(final String[] arguments) throws Exception {
        final List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (TunedOptions tuned = new TunedOptions()) {
            final DBOptions options = tuned.dbOptions().setCreateIfMissing(true);
            final List<ColumnFamilyDescriptor> families =
                    List.of(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tuned.columnFamilyOptions()));
            try (RocksDB database = RocksDB.open(options, arguments[0], families, handles)) {
                System.out.println(database.getLongProperty("rocksdb.block-cache-capacity"));
                handles.forEach(ColumnFamilyHandle::close);
            }
        }
    }
}
