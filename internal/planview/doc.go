// Package planview writes a plan in the forms people and programs read: text,
// NDJSON, Markdown, HTML and annotations of a pull request. All of them are made
// from one Document, which is also the JSON form.
//
// It refuses to compute: it reads no file, clock or terminal, and what is not in
// the document is in no form. Its invariant is that text of files and of the
// service stays text: no form lets it move a cursor, mention a person, start an
// element, a link or a formula, or hide what stands beside it.
package planview
