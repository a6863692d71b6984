package resource

import (
	"errors"
	"fmt"

	"adsync/internal/diag"
)

// Limit is the error of what is larger than a bound. It is whole, and no damage.
type Limit struct {
	Message string // what is there; what is wanted, with the bound
	Hint    string // what makes it smaller
	// how ADSYNC_BOUNDS names the bound and what would be enough, such as "rows=130000"; "" of one that is fixed
	Bound string
}

func (l *Limit) Error() string { return l.Message }

// Finding returns what is said of a limit: what to do, and how whoever runs
// adsync raises the bound.
func (l *Limit) Finding() *Finding {
	hint := l.Hint
	if l.Bound != "" {
		if hint != "" {
			hint += ", or "
		}
		hint += "have whoever runs adsync set ADSYNC_BOUNDS=" + l.Bound
	}
	return &Finding{Code: diag.TooLarge, Message: l.Message, Hint: hint}
}

// LimitIn returns the finding of an error that is a limit, said with all the error
// says of its place; nil where it is none.
func LimitIn(err error) *Finding {
	var l *Limit
	if !errors.As(err, &l) {
		return nil
	}
	f := l.Finding()
	f.Message = err.Error()
	return f
}

// Enough returns a bound that a count fits under: the next with two digits that
// say something.
func Enough(name string, need int64) string {
	unit := int64(1)
	for need/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprintf("%s=%d", name, (need/unit+1)*unit)
}

// EnoughMiB returns a bound of size that so many bytes fit under.
func EnoughMiB(name string, need int64) string {
	return fmt.Sprintf("%s=%dMiB", name, need>>20+1)
}
