// Package chaos runs pipelines while things break, and checks that nothing is lost. It serves tests only.
//
// A seed draws everything. Scenarios with neighbouring seeds share a world: a corpus (short and long rows, rows that grow, shrink and
// become many, broken and repeated lines) and a pipeline of any nodes, with plugins that map memory, that cannot, and that know no
// feature of the protocol. It runs twice without faults, once for what an older run leaves and once for what is right. A scenario runs
// the program on it with a fault, and again, sometimes with another fault, from the last checkpoint or from the start, until a run
// succeeds. After each run the files of a run that failed are those of before, the receipt is about the files beside it, and no process is
// left. After the last one every line of the input is in exactly one place, in order, and the bytes are those of the calm run.
//
// Faults come at events, and by the clock only where a pipe is read:
//
//   - at a record, where the plugin sluice-plugin-chaos does what its orders say, to itself or to the host (plugin_linux.go);
//   - at a call to the system, which the harness holds before it is made (calls_linux.go). It is made to fail, or the host gets a signal,
//     or the power is lost: then the folder becomes what a disk would hold of it by then (disk_linux.go);
//   - at a reading of the clock, which is wrong from then on (clock_linux.go);
//   - for the whole run: the system limits files, or a pipe is read slowly or not at all for a while (host_linux.go).
package chaos
