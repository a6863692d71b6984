package members

import (
	"fmt"
	"slices"
)

// columnNames are the names of columns, folded, and what they hold.
var columnNames = map[string]Identifier{
	"email": Email, "emails": Email, "emailaddress": Email,
	"emailaddresses": Email, "mail": Email, "mailaddress": Email,
	"phone": Phone, "phones": Phone, "phonenumber": Phone,
	"phonenumbers": Phone, "telephone": Phone, "telephonenumber": Phone, "tel": Phone,
	"mobile": Phone, "mobilephone": Phone, "mobilenumber": Phone, "cell": Phone, "cellphone": Phone, "msisdn": Phone,
	"emailsha256": EmailHash, "sha256email": EmailHash,
	"hashedemail": EmailHash, "emailhash": EmailHash, "emailaddresssha256": EmailHash,
	"phonesha256": PhoneHash, "sha256phone": PhoneHash, "hashedphone": PhoneHash,
	"phonehash": PhoneHash, "phonenumbersha256": PhoneHash, "hashedphonenumber": PhoneHash,
}

// Named returns what a column of that name holds; "" is not known.
func Named(column string) Identifier { return columnNames[fold(visible(column))] }

// column is where the identifiers of a file stand.
type column struct {
	index  int  // from 0
	header bool // the first line names it
	alone  bool // the file has no other column
}

// columnOf finds the column of an identifier by the first line. Without a name
// there must be one column: which of several is meant would be a guess. What is
// written there is never repeated: it may be somebody's address.
func columnOf(as Identifier, line int, first []string) (column, *Fault) {
	var named, others []int
	for i, text := range first {
		switch known := Named(text); known {
		case as:
			named = append(named, i)
		case "":
		default:
			others = append(others, i)
		}
	}
	filled := len(first)
	for filled > 1 && visible(first[filled-1]) == "" {
		filled--
	}
	switch {
	case len(named) == 1:
		return column{index: named[0], header: true, alone: filled == 1}, nil
	case len(named) > 1:
		return column{}, fault(line,
			fmt.Sprintf("columns %d and %d are both named for %s; want one", named[0]+1, named[1]+1, as), "")
	case len(others) > 0:
		held := Named(first[others[0]])
		return column{}, fault(line, fmt.Sprintf("column %d is "+
			"named for %s, and the identifier is said to be %s; want a column named %s", others[0]+1, held, as, as), "")
	case filled > 1:
		return column{}, fault(line, fmt.Sprintf("file has %d columns and none of them is named "+
			"%s; want a first line with the names of the columns", filled, as), "or a file with this column alone")
	}
	return column{alone: true}, nil
}

// take reads a line's identifier. In a file of one column a further value is
// nobody's to choose from.
func (c column) take(l *List, line int, fields []string) {
	if c.alone && slices.ContainsFunc(fields[min(1, len(fields)):], func(text string) bool {
		return visible(text) != ""
	}) {
		l.Counts.Read++
		l.reject(line, severalCells)
		return
	}
	text := ""
	if c.index < len(fields) {
		text = fields[c.index]
	}
	l.take(line, text)
}
