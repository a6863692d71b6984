package diag

import (
	"fmt"
	"strings"
)

// Unread is a column with values that are not read, or a whole sheet.
type Unread struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet,omitempty"`  // absent of a CSV file
	Column string `json:"column,omitempty"` // its header; absent of a sheet as a whole
	Values int    `json:"values"`           // of a sheet: its rows
	Why    Why    `json:"why"`
}

// Why says why a column or a sheet is not read.
type Why string

// The reasons.
const (
	WhyMarked  Why = "marked"      // its header, or the sheet's name, begins with #
	WhyOwn     Why = "own_columns" // adsync.yaml lists it
	WhyPeople  Why = "people"      // adsync's own column for people: Notes
	WhyFilled  Why = "filled"      // adsync fills it
	WhyProblem Why = "problem"     // it is an error
	WhyUnknown Why = "unknown"     // nobody knows it, and it is said

	WhyNoCounterpart Why = "no_counterpart" // a column of another tool's export that this service has nothing for
)

// IsOurs reports whether a column is adsync's own: nobody expects it to be read.
func (u Unread) IsOurs() bool { return u.Why == WhyFilled || u.Why == WhyPeople }

// UnreadLines says for people what is not read: a line a sheet, and columns that
// adsync fills by their number alone.
func UnreadLines(unread []Unread) []string {
	var lines []string
	for from := 0; from < len(unread); {
		to := from
		for to < len(unread) && unread[to].File == unread[from].File && unread[to].Sheet == unread[from].Sheet {
			to++
		}
		if line := unreadLine(unread[from:to]); line != "" {
			lines = append(lines, line)
		}
		from = to
	}
	return lines
}

// unreadLine is the line of one sheet, "" where nothing on it is anybody's.
func unreadLine(unread []Unread) string {
	place := Printable(unread[0].File)
	if unread[0].Sheet != "" {
		place += ": " + Printable(unread[0].Sheet)
	}
	var parts, others []string
	filled := 0
	for _, u := range unread {
		switch {
		case u.Column == "":
			return fmt.Sprintf("%s: sheet is not read (%s)", place, Counted(u.Values, "row", "rows"))
		case u.Why == WhyFilled:
			filled++
		case u.Why == WhyNoCounterpart:
			others = append(others, fmt.Sprintf("%q (%d)", Printable(u.Column), u.Values))
		default:
			parts = append(parts, fmt.Sprintf("%q (%s)", Printable(u.Column), Counted(u.Values, "value", "values")))
		}
	}
	if len(parts) > 0 && filled > 0 {
		parts = append(parts, "and "+Counted(filled, "column", "columns")+" that adsync fills")
	}
	var says []string
	if len(parts) > 0 {
		says = append(says, strings.Join(parts, ", "))
	}
	if len(others) > 0 {
		says = append(says, "of other tools, with nothing here to set: "+strings.Join(others, ", "))
	}
	if len(says) == 0 {
		return ""
	}
	return place + ": not read: " + strings.Join(says, "; ")
}
