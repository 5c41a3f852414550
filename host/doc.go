// Package host reads a pipeline file and runs it.
//
// # The path of a record
//
// Load reads the file into a tree (internal/config) and starts nothing. Run makes the tree into a plan (internal/plan):
// steps, sources and sinks, and who writes which path. It opens the sources and stages the outputs under hidden names,
// starts one process for each chain of steps that one program serves (internal/launch), and holds the file against what
// the plugins say of themselves. Then records flow (internal/flow). This is a chain, out of process:
//
//	host                                               process of the chain
//
//	source.Next    file --read--> region of the host's arena ........ mapped for reading
//	    |                                                                 :
//	flow           chunk --> flight and lot                               :
//	    |                                                                 :
//	clock, search                                                         :
//	    |                                                                 :
//	seat (launch)                                                         :
//	    |                                                                 v
//	rpc.Worker     batch: where records lie, and a grant --> server --> chain (sdk)
//	                                                                      |  note, Process of each step
//	mapped for reading ........ region of the worker's arena <--written---+  what leaves it, once
//	    :                                                                 |
//	    v                                                                 |
//	wire.Validator <-- reply: verdicts, offsets, faults, rows, counts ----+
//	    |
//	flow           account, rows beside, rejects of the lot --> next flight
//	    |
//	output.Sink    file under a hidden name --> Finish, account, Commit: the names, the receipt last
//
// From left to right and top to bottom:
//
//  1. A source reads a file into a region of the host's arena, about 4 MiB at a time, and checks each record once: one
//     goroutine reads and splits, one hashes the file, and as many check as there are runs of records to check. What it
//     gives is a chunk (wire): records that are views of the region, with file and line, and what is wrong with some.
//  2. The engine makes the chunk into a flight, which goes from node to node, and a lot, which lasts as long as any flight
//     of that chunk does. What the source could not read is a reject of the lot.
//  3. A chain hands flights to its workers in order. Around each are a clock and, with on_crash = "reject", the search for
//     the record that ended it. The worker's seat is in launch; it sends a message that says where the records lie and where
//     new ones may (wire/rpc). The process has the host's arena mapped for reading and its own for writing.
//  4. The plugin's worker (sdk) takes one record after the other through the steps of the chain: it notes which record and
//     step are at hand, and calls the step's processor. Edits collect and are written once: for the next step into memory
//     that is used again, or at the end into the granted region; what no edit touched is not copied. The reply says, for
//     each step and each record that reached it: unchanged, emitted, dropped, rejected or declined.
//  5. The validator (wire) checks the reply and makes it an answer. The accounts of the steps count it, rows beside the stream go
//     to their sinks, rejects are copied to the lot, and what leaves the chain is the next flight.
//  6. A sink writes the records (internal/output), compressing them beside the writer, and gives their memory back. When a
//     lot is done, its rejects go to the dead letter in input order, lot after lot.
//  7. When everything has arrived, the processors are closed. Then the outputs are made whole and durable and read back, the
//     account is checked against its sums and against what lies on disk (receipt), and all files get their names,
//     with the origins of their rows beside them. After an error they are removed, but for rejects and reports of a run that
//     failed for too many.
//
// # Who owns what
//
//	program   launch   an executable, opened once: what was hashed is what every life runs
//	crew      launch   the steps that one process runs behind each other, a chain
//	life      launch   one process of a crew, from its start to its end, with its streams
//	arena     wire     memory with one writer; launch allocates all of them, the host keeps their books
//	region    wire     a part of an arena; who holds a record holds a reference, the last one gives it back
//	claim     output   a path, by the file it leads to: one writer, and nobody writes what is read
//	origins   output   which records the rows of a file come of, noted as they are written
//	sidecar   output   a file in the hidden folder .sluice that tells more of one beside that: origins, a timeline
//	spare     output   a file that gives way to all others and fails no run: what became of it is asked after the commit
//	page      host     a spare file for people about the run; who starts the run makes its text
//	account   flow     what went through one step; receipt adds them up and host holds the run to the sum
//	graph     plan     the file as it is drawn, with what went each way; receipt holds its edges to the account
//	timeline  host     what the run had done at some times; receipt knows its lines, output its place
//
// # Files
//
//	host.go      Load, Check and Run: wiring only
//	account.go   the receipt of a run
//	explain.go   what becomes of one record at every place; internal/tracer collects it, trace holds it
//	session.go   a pipeline several times, each time on other inputs
//	progress.go  how far a run is
//	timeline.go  how a run went on, beside its receipt
//	page.go      the page about a run: when it is made, where it may go, and what became of it
//	graph.go     a pipeline file as it is drawn
//	origins.go   which records the rows of an output come of
//	warn.go      what a person should know about a run that went well
//	hide.go      no sensitive value in errors, logs and receipts
//
// # Packages
//
//	receipt      the account of a run, and whether it adds up
//	trace        what became of single records
//	rundiff      how two runs, or two files of rows, differ
//	pipetest     the tests beside a pipeline
//	survey       files through plugins without a pipeline file: which adapter takes what
//	registry     which plugins, sources and sinks a pipeline can name, and the lock of its plugins
//	editor       questions of an editor about the text of a pipeline file
//	conformance  whether a plugin's program keeps the protocol
//
// # Non-obvious
//
//   - Order is why arenas cannot deadlock. Flights leave a node in the order in which they came, so only later ones wait
//     for the memory of earlier ones. Whatever could hold an earlier one back passes on what it has before it waits: a
//     worker before it asks for more memory, a first from member to member, a route's join between flights.
//   - A request larger than an arena's budget is met when nothing else is out. So one large record passes, alone.
//   - The host keeps the books of arenas that plugins write, too: it still knows what is free after a plugin has crashed.
//   - Nothing a plugin says comes in but through the validator, in process, through memory and inline alike. What breaks the
//     protocol ends the run; new bytes that are no JSON only reject their record. What leaves a chain is checked there and
//     not before: when it is no JSON and the host has no bytes of its record, the chain gets what it has not answered again
//     and checks everything itself from then on.
//   - The note lies in shared memory behind the arena, so that after a crash it tells which record and step were at hand. In
//     process it is a variable, and inline there is none: then the search halves the batch, and nothing is chained.
//   - What a chain makes of a record between its steps never reaches the host, only its length, unless it is traced: then
//     copies come beside the verdicts, to be looked at and for nothing else. So a step rejects its
//     records itself after a crash: the host sends the batch's record again and says which step must not get what.
//   - A life is ended by its context, for all its workers at once, by whoever finds it over or needs it no more. Nobody
//     closes a stream that another goroutine reads: it fails there. The next worker that is asked starts the next life.
//   - A record's file has the name that may be shown (Options.MaskName) as soon as it leaves its source. Nothing behind,
//     plugins included, knows the real one.
//   - Rejects are copies: in place they would keep the memory that their lot may need to get done.
//   - A last word is asked for when every node has ended and nothing has failed, so nobody sums up half a run. It is a batch
//     without records, through the same stages, clocks and validator; its rows go straight to the sinks of the step.
//   - The old receipt goes before the first output gets its name, and the new one comes after the last. So a receipt that
//     is there is about the files beside it.
package host
