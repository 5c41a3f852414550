// Package host reads a pipeline file and runs it.
//
// # The path of a record
//
// Load reads the file, and the files of steps that it includes, into a tree (internal/config) and starts nothing. Run makes
// a plan of the tree (internal/plan): its steps, sources and sinks, and which of them writes which path. It opens the
// sources and stages the outputs under hidden names, starts one process for each chain of steps that one program serves
// (internal/launch), and checks the file against the plugins' own descriptions. Then records flow (internal/flow). This is
// a chain, out of process:
//
//	host                                               process of the chain
//
//	source.Next    file --read--> region of the host's arena ........ mapped for reading
//	    |                                                                 :
//	flow           chunk --> batch and pending chunk                      :
//	    |                                                                 :
//	clock, bisection                                                      :
//	    |                                                                 :
//	worker (launch)                                                       :
//	    |                                                                 v
//	rpc.Worker     batch: where records lie, and a grant --> server --> chain (sdk)
//	                                                                      |  note, Process of each step
//	mapped for reading ........ region of the worker's arena <--written---+  what leaves it, once
//	    :                                                                 |
//	    v                                                                 |
//	wire.Validator <-- reply: verdicts, offsets, faults, rows, counts ----+
//	    |
//	flow           account, side rows, rejects of the chunk --> next batch
//	    |
//	output.Sink    file under a hidden name --> Finish, audit, Commit: final names, the receipt last
//
// Step by step:
//
//  1. A source reads a file into a region of the host's arena, about 4 MiB at a time, and checks each record once: one
//     goroutine reads and splits, one hashes the file, and several check. It returns chunks (wire): records that are views
//     of the region, with file and line, and the faults of those that could not be read. Whatever reads a Parquet
//     file gets it as text with a line for each row (internal/parquet).
//     A file of object storage or of the web is asked for by ranges, several ahead of the reader (internal/places).
//  2. The engine (flow) makes a batch of each chunk, or several where a size is asked for, records are short or workers are many.
//     Batches go from node to node. A pending chunk counts the batches made of one chunk and collects their rejects, of which the
//     unreadable records are the first.
//  3. A chain hands batches to its workers in order. A clock limits the time without an answer. Unless on_crash is "fail" or the
//     step keeps state, a bisection finds the record that crashed the process. The worker (launch) sends a message that says
//     where the records lie and where new ones may be written (wire/rpc). The process has the host's arena mapped for reading and
//     its own for writing.
//  4. The worker in the process (sdk) takes one record after the other through the steps of the chain. It notes the record
//     and the step that it is at, and calls the step's processor. Edits are collected and written once: for the next step
//     into memory that is reused, or at the end into the granted region. Bytes that no edit touched are not copied. The
//     reply has a verdict for each step and each record that reached it: unchanged, emitted, dropped, rejected or declined.
//     A concurrent processor is called for the next records ahead of their turn, each time with a worker of its own, and in its
//     turn the call is replayed. Such a step has a chain to itself.
//  5. The validator (wire) checks the reply and makes an answer of it. New records of a program that is not this one it copies
//     first. The accounts of the steps count the answer, side rows go to their sinks, rejects are copied to the pending chunk,
//     and what leaves the chain is the next batch.
//  6. A sink writes the records (internal/output), compresses them in other goroutines, and releases their memory. One of Parquet
//     writes lines, which become Parquet behind the last record, with the schema of all rows. When all
//     batches of a pending chunk are done, its rejects go to the dead letter in input order, chunk after chunk.
//  7. After the last record the processors are closed. The outputs are flushed to disk. They are read back behind their writers, and
//     here to their ends. The account is checked against its own sums and against the files (receipt), the receipt gets the sums of
//     the run whose place this one takes, and all files get their final names, with the origins of their rows in sidecars, files of the
//     folder .sluice. A run with a receipt first writes down, as a list, what it renames and removes for that. Objects become visible
//     here and not before. After an error all files are removed, except what Options.Resume goes on with, and the rejects and reports
//     of a run that failed for too many. What became of the records until then, and what ended the run, stays in a receipt and a page
//     under the names of failed runs.
//
// Now and then the run makes a checkpoint. The reader sends a barrier behind its chunks and waits until all of them are done:
// then sinks, accounts, sources and ordered steps hold exactly what became of the records read so far. All of it is noted,
// reading goes on, and behind it the files are made durable, then the state, which takes the place of the one before. A run that
// goes on (Options.Resume) has all of them as they were then: it cuts the files to the lengths noted, hands ordered steps their
// states, and reads the file at hand from its start, passing over the records that were taken. It is refused when something
// outside of the records has changed, as far as the host can know: what a program of others reads by itself it cannot. When the
// state is the list of a commit, the run does the rest of that, and reads and starts nothing. A run that is to end makes a last
// checkpoint first, if what is on its way is done within seconds.
//
// A part (Options.Part) is a run of one share of the inputs. The files of all sources lie one behind the other, and each of n
// parts has about the same number of their bytes: a file of lines is cut at the first line that begins at a part's place or
// behind it, zstd at the first frame that begins with a line, Parquet between row groups; any other belongs to the part that its
// middle lies in. So a share follows from the sizes of the files, and what the parts write, one behind the other, is what the
// whole run writes. Records have the lines of the whole file. Of the parts that begin inside of a file one counts the lines
// before all parts of it, and leaves the counts for the others in the folder of sidecars; in a bucket there is none, and each
// part counts. Parts hold a shared lock on their folders, and each one of its own on its files there. What needs every record in
// order refuses a part; what counts, such as a limit that is a share, is decided when all are there.
//
// A run with a store (Options.Store) goes through its inputs file by file. What became of a file in an earlier run, with the
// same hash of everything that its rows depend on, is passed on between two files, while no record is on its way: its rows go
// to their sinks, and its figures are added to those of the run, so all that comes behind is as in any run. Any other file is
// read, and several may be on their way at a time. When all of one is done, what was counted of it and the rows that the sinks
// got of it become its entry, unless one of its records crashed a process. Entries lie in a folder or a bucket; those of a
// bucket are fetched ahead of need and sent behind the run, from files of this machine. What does not follow from one file
// alone refuses such a run, or stores no entry. A step at the top level that keeps its records ends a chain. What passes
// behind it, with the rejects of each chunk until there, becomes an entry of its own, for a hash of what the rows depend on up
// to there. A file that is known no further begins with these records: they are copied to the arena of the source and go on at
// that place, while nothing is on its way to it.
//
// # Who owns what
//
//	program         launch  an executable, opened once: what was hashed is what every process runs
//	process         launch  one process of a chain with its streams, from start to end; launch starts the next after a crash
//	watchdog        launch  a process of this program that kills what the run's programs leave behind, when the run is gone
//	arena, region   wire    launch allocates all arenas, and the host does the bookkeeping of all of them
//	batch           flow    records that move between nodes, and the pending chunk that they belong to
//	account         flow    what went through one step, and the first records of each reason for a drop; receipt adds
//	                        the accounts up, and host fails a run that does not balance
//	remote file     places  requests, retries and credentials; output owns when what it sends becomes visible
//	claim           output  a path that one writer of a run has, or that its readers share
//	share           source  which bytes of the inputs a part reads, and on which line of a file they begin; plan adds
//	                        the sources up
//	entry           store   the rows and figures of one file, and the place that it lies in; flow knows how figures add up, host
//	                        what an entry depends on
//	origins         output  which records each row of a file was made from
//	optional file   output  a file whose failure fails no run, such as the page; its result is known after the commit
//	failed receipt  output  the name of what a failed run says about itself; removed before the records of the next run flow; host
//	                        makes its text
//	page            host    when the optional file for people is made, and where; the caller of Run makes its text
//	graph           plan    the nodes and edges of the file, with counts; receipt checks the edges against the account
//	state           output  where it lies, how it is replaced, the files in it and the list of a commit; host what else
//	                        stands in it and what must be the same; flow the figures; source how far it is;
//	                        a plugin the bytes of its own step
//	timeline        host    samples of the run over time; receipt defines its lines, output its place
//
// # Private words
//
// These have no common word that fits. What only one package says it explains where it says it.
//
//	arena        memory with one writer, shared with processes that may only read it. A pool or heap has many writers.
//	region       part of an arena with reference-counted records, freed as a whole. A buffer has one owner.
//	chain        steps that one process runs one after the other on each record. A pipeline is the whole file.
//	claim        a path taken for writing or reading, by the file it really leads to, before anything runs; a name with labels when its
//	             first record comes. A lock is between processes.
//	unit         a file of the inputs in a run with a store: what is known or stored as a whole.
//	keep         a place behind a step where the records that pass are stored, so that a later run can begin there.
//	shadow       a candidate step on the records of the current one, only compared with it. A canary's results count.
//	side output  rows that a step writes in addition to its records, such as a ledger. A second output would carry the stream.
//	decline      "not mine", inside a first: the next member gets the record. A reject is final.
//	dead letter  where rejected records go, as in message queues.
//
// # Files
//
//	host.go      Load, Check and Run: wiring only
//	diagnose.go  mistakes that the plugins find, at their places in the file
//	options.go   how a pipeline is read and run
//	account.go   the receipt of a run
//	explain.go   what becomes of one record at every place; internal/tracer collects it, trace holds it
//	checkpoint.go  what a run notes, and what is kept of one that fails
//	failure.go   the receipt and the page of a run that does not finish
//	resume.go    how a run goes on, and when it must not
//	replace.go   whose run a run takes the place of, and when it must not
//	part.go      which part of the inputs a run reads, and what it notes of that
//	store.go     what a run knows of the files of its inputs from earlier runs
//	store_basis.go  what the rows of a file depend on besides the file
//	store_unit.go   one file of the inputs, in the store
//	session.go   a pipeline run several times, each time on other inputs
//	stream.go    a pipeline between standard input and standard output, without files
//	progress.go  how far a run is
//	holder.go    which step, sink or source a run waits for
//	timeline.go  samples of a run over time
//	page.go      the page about a run
//	paths.go     what is said of a path with nothing at it
//	graph.go     the graph of a pipeline file
//	trust.go     what a pipeline claims that the user has to trust
//	warn.go      warnings about a run that succeeded
//	words.go     no personal data in the words that a receipt counts by
//	hide.go      no sensitive value in errors, logs and receipts
//	spellings.go  how messages spell a sensitive value
//
// # Packages
//
//	filehash     hashes of the files that a run reads and writes
//	receipt      the account of a run, and whether it adds up
//	trace        what became of single records
//	verify       whether the files of a run are as its receipt says
//	fetch        copies of what lies in a bucket, for what reads files of this machine
//	merge        the parts of a run made one run: whether they are all of it, one receipt, and the files of the whole run
//	rundiff      how two runs, two files of rows, or two values differ
//	pipetest     tests of a pipeline
//	survey       the records of files, shown to plugins without a pipeline file
//	table        the rows of a file of Parquet, for tools
//	registry     which plugins, sources and sinks a pipeline can name, and the lock of its plugins
//	editor       answers to an editor about the text of a pipeline file
//	plural       numbers with their nouns
//	percent      parts of a whole, never rounded to nothing or to all
//	wholefile    files that others find whole or not at all
//	filestate    whether a file is the one that it was, and as it was
//	privatefolder  folders that only the user may write to
//	conformance  whether a plugin's program keeps the protocol
//
//	internal/config    from HCL to an ordered tree, with every mistake at its place
//	internal/plan      from the tree to what source, output, launch and flow need, and the checks that need the whole file
//	internal/source    from bytes to records, and which of them a part reads
//	internal/output    all that a run writes, from the claim of a path to the commit
//	internal/launch    programs and their processes, from the search to the end
//	internal/flow      records on their way through the nodes: order, retries, clocks and accounts
//	internal/store     what earlier runs have made of single files
//	internal/places    files of this machine, of object storage and of the web
//	internal/parquet   from Parquet to lines of JSON and back
//	internal/compare   how two JSON values differ
//	internal/ignore    the paths of values that may differ
//	internal/limit     bounds such as "0.5%", and whether a count is beyond one
//	internal/subset    which records a run takes that does not read all of them
//	internal/tracer    what each place does with a few records, for explain
//	internal/filelock  locks between processes
//	internal/oserr     whether an error means that a file is missing; its reason without the paths
//
// # Non-obvious
//
//   - Order is why arenas cannot deadlock. Batches leave a node in the order in which they came, so only later ones wait
//     for the memory of earlier ones. Whatever could hold an earlier one back sends on what it has before it waits: a
//     worker before it asks for more memory, a first from member to member, a route's join between batches.
//   - A request larger than an arena's budget is granted when nothing else is in use. So a large record passes, alone.
//   - The host also does the bookkeeping of arenas that plugins write, so it knows what is free after a plugin has crashed.
//   - What was checked is what is read later. A plugin's process can write its own arena at any time, so what an external program
//     answers with is copied to an arena of the host before it is checked, and other processes map only that one. The built-in
//     plugins are the host's own code, which writes a region once: they are spared the copy. All else of an answer comes in
//     messages.
//   - Every reply of a plugin passes the validator, in process, through memory and inline alike. A breach of the protocol is a
//     crash. The bisection halves the batch then, since one message answers many records, and blames none for what an earlier
//     answer of the same process may have left. New bytes that are not JSON only reject their record. What leaves a chain is
//     checked there and not before. When it is not JSON and the host has no bytes of its record, the chain gets its unanswered
//     records again and from then on checks the output of each step itself.
//   - A worker's note lies in shared memory after its arena, so that the record and step are known after a crash. In
//     process it is a variable. Inline there is none: then the bisection halves the batch, and steps do not form chains.
//   - The bytes of a record between two steps of a chain never reach the host, only their length; a trace gets copies, which
//     serve nothing else. So after a crash a step inside a chain rejects its record itself: the host sends the batch's
//     record again and names the step that must not get what it becomes.
//   - In a poisoned run each chain has a twin, whose processes do not overwrite records. A worker gets a batch after its twin,
//     and its answers must be the same, so whatever a step does with a view that it kept shows at that record. Both are different
//     processes, since plugins may have variables that all their processors share. Chains are traced, so that every step's bytes
//     are compared.
//   - A record that lacks the marks of a step, strings that every record of its shape has, never reaches the step's processor:
//     the chain declines it by one table of the marks of all its steps. Equal declines cross between processes once, with how
//     many there are.
//   - While several calls of a concurrent processor are under way the note names no record, and the bisection halves the batch. A
//     record that holds the others up for a second is noted, so that one that hangs is found at once.
//   - A process that ends while it closes has answered all records. Unless on_crash is "fail" or it keeps state, it is started and
//     closed once more, which tells a plugin that ends itself from one that was killed.
//   - What a process has left behind is killed by its group before the process is reaped, where the system allows: later the
//     number may be another's.
//   - A process is ended by its context, for all its workers at once. Only the goroutine that reads a stream closes it,
//     since another would make the read fail. The next worker that is called starts the next process.
//   - Records carry the name of their file in the form that may be shown (Options.MaskName). Only sources know the real
//     one, and plugins never get it.
//   - Rejects are copies: in place they would keep memory that their chunk may need to get done.
//   - The end of the input is a batch behind all others, which every node passes on, and which nothing replaces when a source or
//     node fails: so no step flushes or sums up half of what reaches it. The step gets a batch without records, through the same
//     stages, clocks and validator. What Flush emits goes ahead of the end, so a later step has it before its own; its rejects
//     are those of the chunk of the end, the last of the dead letter. A route joins the branches one after the other then.
//   - A record that a step made of several has the place of the first, and lists them, a thousand at most (wire.Origins). It may
//     be anywhere in an output.
//   - A plugin ends when its pipe to the host does. On Linux the system also kills it when the thread that started it ends, so
//     that thread lasts as long as the processes of the run. What the programs of others have started is killed by group and, on
//     Linux, by the run's mark in its environment: by the host when a run ends, by the watchdog when the host could not. Without
//     such programs there is no watchdog.
//   - A checkpoint is one file that is replaced as a whole, after all that it leads to is durable. Folders elsewhere with hidden
//     files of the run have a note that leads to it, and while it does, no other run sweeps them.
//   - A frame of a compressed file depends on its rows alone, so a checkpoint does not end one: the rows of a frame that is not
//     full lie in an attachment of the state.
//   - An object is staged as a file in a folder of this machine, the mirror, and all rules about hidden files, locks, sweeps and
//     states hold there. Only the last step differs: where a file would be renamed, its upload is completed, and where one would
//     be removed, the object is. A hidden note beside the file has the id of the upload before any byte is sent, so that whoever
//     removes it can end the upload.
//   - The lines that become Parquet stay under their hidden name until the commit: a run that is interrupted goes on from them.
//   - The old receipt and manifest are removed before the first output gets its name, and the new ones are put in place after the
//     last. So a receipt always describes the files next to it.
//     A file that has origins is of a run. Without Options.Replace another one writes it only if the receipt that it replaces lists
//     it, since the receipt that does would describe it no longer, wherever that lies.
//   - Just before a file gets its name it is compared with what was read back: the same file, size and time, or else the same hash.
//     Before each write its size is, since what somebody cuts meanwhile would become a hole.
package host
