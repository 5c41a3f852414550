// Package canonical reads and writes eliza_native_v1 rows, the records that every adapter gives and every step behind one
// knows.
//
// Reading: Read gives the Row of a record, its turns, calls, results, texts and tools, in every spelling that occurs. Writing: an
// Adapter makes a plugin of a function that fills a Builder with what one record of another shape holds; everything else
// that an adapter needs is here.
//
// Strings are bodies, what stands between the quotes of a JSON string with its escapes, so that what goes from JSON to
// JSON is copied and never decoded.
package canonical
