// Package planview writes a plan in the forms people and programs read: text,
// NDJSON, Markdown, HTML and annotations of a pull request. All of them are made
// from one Document, which is also the JSON form.
//
// It refuses to compute: it reads no file, clock or terminal, and what is not in
// the document is in no form. Its invariant is that text of files and of the
// service stays text: no form lets it move a cursor, mention a person, start an
// element, a link or a formula, or hide what stands beside it.
//
// Open document.go first. text.go, markdown.go, html.go, lines.go (NDJSON) and annotations.go
// write it; a new form is a file here and a row of cmd/adsync/internal/runs/planform.go. What
// they share: headline.go the sum, values.go a value beside its old one, plainly.go words for
// marketers, fold.go which of many like changes are listed, notices.go what looks like a slip,
// part.go parts of the page, requests.go what an apply would send.
package planview
