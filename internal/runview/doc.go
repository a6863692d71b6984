// Package runview writes a run in the forms people and programs read: text,
// NDJSON, Markdown, HTML, and the line of progress while it goes on. All of them
// are made from one Document, which is also the JSON form, and what the state
// keeps of the run.
//
// It refuses to compute and to look: it reads no file, clock, terminal or
// service. Its invariant is that text of files and of the service stays text in
// every form, and that what became of money comes first.
//
// Open document.go first. text.go, markdown.go and html.go write it; words.go and plainly.go
// have its words, do.go what to do next, meter.go the progress, event.go the lines of NDJSON,
// keep.go and history.go what stays of a run.
package runview
