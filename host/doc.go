// Package host reads a pipeline file and runs it.
//
// # The path of a record
//
// Load reads the file into a tree (internal/config) and starts nothing. Run collects what the tree names into a plan
// (plan.go, ends.go): steps, sources and sinks. It opens the sources, prepares the sinks under temporary names,
// and starts one process for each step (internal/launch). Then:
//
//  1. A source reads a file straight into a region of the host's arena, checks each record once, and gives chunks of
//     about 4 MiB (internal/jsonl). A record is a view of the region, with its file, line and place in the input.
//  2. A chunk becomes a flight (internal/flow) and goes from node to node. A step sends it to one of its workers as a
//     message that says where the records lie (sdk/wire). The plugin process has the arena mapped for reading.
//  3. The plugin runs its processor on each record in place (sdk). An edited record is written to a region of
//     the worker's own arena that came with the batch; an unedited one is not copied. The answer says record by record:
//     unchanged, emitted, dropped, rejected or declined.
//  4. Behind a step the flight holds what goes on, in the order in which it came. Drops are counted; a reject is
//     copied and kept with its chunk; side rows go to their sink.
//  5. A sink writes the records and gives their memory back to its owner. When every flight of a chunk has ended, its
//     rejects go to the dead letter, chunk by chunk in input order.
//  6. When the source has ended and everything has arrived, the account is checked (internal/receipt), the
//     sinks give their files their names, and the receipt is written. After an error they remove them instead.
//
// # Files
//
//	host.go           Load, Check and Run: wiring only
//	plan.go           the tree made into steps for launch and nodes for flow
//	ends.go           sources and sinks by type name
//	account.go        the receipt of a run
//	ranking.go        what each step of a first took
//	shadow.go         how the two steps of a shadow differ
//	shapes.go         what a corpus consists of, by asking every adapter about every record
//
// # Non-obvious
//
//   - The host allocates every arena, also those that plugins write: it alone knows when a region is free, and it
//     still knows after a plugin has crashed.
//   - Nothing waits for memory that only a later batch holds: workers take batches in order, and what was answered of
//     a batch moves on before a worker may ask for more. So arenas cannot deadlock, at any size.
//   - A first runs its steps nested in each other instead of one behind the other, and a route's join passes on what
//     it has before it waits, for the same reason.
//   - A request larger than an arena's budget is met when nothing else is out. So one large record passes, alone.
//   - A record's file has the name that may be shown (Options.MaskName) from the source on. Nothing behind it, plugins
//     included, knows the real one.
//   - Rejects are copies: holding them in place until their batch is done would make the batch wait for itself.
package host
