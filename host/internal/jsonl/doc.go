// Package jsonl reads records from files and writes them back, whole or not at all.
//
// Source reads lines, or the elements of JSON documents, straight into an arena; Text reads whole files. Sink writes
// lines to temporary files that Commit renames into place.
package jsonl
