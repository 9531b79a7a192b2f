// Command load opens a database with exported options, fills it so that a table is written, and prints what the engine
// says of it.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/linxGnu/grocksdb"

	"lsmtune/systems/store"
)

func main() {
	options, err := store.TunedOptions()
	if err != nil {
		log.Fatal(err)
	}
	options.SetCreateIfMissing(true)
	database, err := grocksdb.OpenDb(options, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close()
	writes, flushes := grocksdb.NewDefaultWriteOptions(), grocksdb.NewDefaultFlushOptions()
	for number := 0; number < 20000; number++ {
		if err := database.Put(writes, []byte(fmt.Sprintf("%08d", number)), []byte("value")); err != nil {
			log.Fatal(err)
		}
	}
	if err := database.Flush(flushes); err != nil {
		log.Fatal(err)
	}
	for _, property := range []string{"rocksdb.block-cache-capacity", "rocksdb.aggregated-table-properties"} {
		fmt.Println(database.GetProperty(property))
	}
}
