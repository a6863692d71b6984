package sources

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// result is what a reader makes of one file.
type result struct {
	drafts        []draft
	left          []draft // rows that say Include = no, as far as others name them
	rows          rows
	problems      []diag.Problem
	unlisted      int           // problems beyond the bound, of which there is only the number
	lists         []hintList    // named hint lists, for every source to use
	unlistedError bool          // one of those is an error
	inherits      []inheritance // defaults and templates, for every source to use
	items         []listItem    // rows that are one entry of a list of a resource, of any source
	unread        []diag.Unread
	account       string // that a workbook was written for, "" where it does not say
	pastes        []paste
	stray         *diag.Problem // why a file is not known to be a source, nil where it is
}

// failed is the result of a file nothing can be read from.
func failed(name string, f resource.Finding) result {
	return result{problems: []diag.Problem{*problemOf(name, f)}}
}

// closed says of how many problems there is only the number.
func (r result) closed(file string, b bounded.Limits) result {
	if r.unlisted == 0 {
		return r
	}
	severity := diag.Warning
	if r.unlistedError {
		severity = diag.Error
	}
	r.problems = append(r.problems, bounded.ProblemAt(diag.InFile(file), resource.Finding{
		Code: diag.TooLarge, Severity: severity,
		Message: fmt.Sprintf("file has %d problems more; want fewer than %d to list each", r.unlisted, b.Problems),
		Hint:    "mend those that are listed first",
	}))
	return r
}

func problemOf(name string, f resource.Finding) *diag.Problem {
	p := bounded.ProblemAt(diag.InFile(name), f)
	return &p
}
