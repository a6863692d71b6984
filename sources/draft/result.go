package draft

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// Result is what a reader makes of one file.
type Result struct {
	Drafts        []Draft
	Left          []Draft // rows that say Include = no, as far as others name them
	Rows          Rows
	Problems      []diag.Problem
	Unlisted      int           // problems beyond the bound, of which there is only the number
	Lists         []HintList    // named hint lists, for every source to use
	UnlistedError bool          // one of those is an error
	Inherits      []Inheritance // defaults and templates, for every source to use
	Items         []ListItem    // rows that are one entry of a list of a resource, of any source
	Unread        []diag.Unread
	Account       string // that a workbook was written for, "" where it does not say
	Publishing    Publishing
	Pastes        []Paste
	Stray         *diag.Problem // why a file is not known to be a source, nil where it is
}

// The words of the cell on Start here that says whether a workbook is to be published.
const (
	WordDraft = "draft"
	WordReady = "ready"
)

// Publishing is what a workbook says on its sheet Start here: draft or ready.
type Publishing struct {
	Word string        // as it is written, trimmed and in small letters; "" where the cell is blank or not there
	At   diag.Position // of the cell; zero where there is none
}

// Failed is the result of a file nothing can be read from.
func Failed(name string, f resource.Finding) Result {
	return Result{Problems: []diag.Problem{*ProblemOf(name, f)}}
}

// Closed says of how many problems there is only the number.
func (r Result) Closed(file string, b bounded.Limits) Result {
	if r.Unlisted == 0 {
		return r
	}
	severity := diag.Warning
	if r.UnlistedError {
		severity = diag.Error
	}
	r.Problems = append(r.Problems, bounded.ProblemAt(diag.InFile(file), resource.Finding{
		Code: diag.TooLarge, Severity: severity,
		Message: fmt.Sprintf("file has %d problems more; want fewer than %d to list each", r.Unlisted, b.Problems),
		Hint:    "mend those that are listed first",
	}))
	return r
}

// ProblemOf returns a finding as a problem of a whole file.
func ProblemOf(name string, f resource.Finding) *diag.Problem {
	p := bounded.ProblemAt(diag.InFile(name), f)
	return &p
}
