// Package canonical reads eliza_native_v1 rows, which every adapter writes and every later step of a pipeline reads.
//
// Read returns the Row of a record: its turns, calls, results, texts and tools, in every spelling that occurs, with their places
// in the record. Package build writes rows.
//
// Strings are bodies: the bytes between the quotes of a JSON string, escapes included. So what goes from JSON to JSON is copied
// and never decoded.
package canonical
