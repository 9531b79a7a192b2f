//! Opens a database with exported options, fills it so that a table is written, and prints what the engine says of it.
//!
//! `load code FOLDER` takes the exported function, `load file FOLDER` the newest OPTIONS file in the folder.

mod tuned_options;

use rocksdb::{Cache, Env, Options, DB};

fn opened(way: &str, folder: &str) -> Result<DB, rocksdb::Error> {
    if way == "code" {
        return DB::open(&tuned_options::tuned_options(), folder);
    }
    let cache = Cache::new_lru_cache(8 << 20);
    let (mut options, families) = Options::load_latest(folder, Env::new()?, false, cache)?;
    options.create_if_missing(true);
    DB::open_cf_descriptors(&options, folder, families)
}

fn main() -> Result<(), rocksdb::Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let database = opened(&arguments[1], &arguments[2])?;
    for number in 0..20_000 {
        database.put(format!("{number:08}"), "value")?;
    }
    database.flush()?;
    for property in ["rocksdb.block-cache-capacity", "rocksdb.aggregated-table-properties"] {
        println!("{}", database.property_value(property)?.unwrap_or_default());
    }
    Ok(())
}
