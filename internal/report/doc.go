// Package report says what an account did in a span of days, for who reads it once a week: figures against the span
// before, spend against budgets, the best and the worst ads, what the service rejected, what was changed and by whom,
// and what waits.
//
// It refuses to ask anybody: it adds up what it is given. Its invariants: a day that was not read is a gap and no zero,
// a figure that is not known is empty, and nothing is compared with a part. Text of files and of the service stays text
// in every form.
//
// Open report.go first: Make fills one document. html.go, markdown.go and xlsx.go are its forms; JSON is the document.
package report
