// Package build writes eliza_native_v1 rows: adapters of other shapes are written with it.
//
// An Adapter makes a plugin of a function that fills a Builder with the contents of one record. The Builder settles what
// corpora leave open, such as ids of calls and spellings of tools, and writes the row. Package calls finds calls, results and
// thoughts in text.
package build
