package page

import (
	"net/http"
	"strconv"
)

// pager says which rows a page shows, and where the others are.
type pager struct {
	From, To, Total int    // rows, from 1
	Previous, Next  string // addresses; "" is none
}

// cut takes the rows of the page that the query asks for. A number that is none,
// or too high, is the nearest page there is.
func cut[R any](rows []R, r *http.Request, size int) ([]R, pager) {
	last := max(1, (len(rows)+size-1)/size)
	number, err := strconv.Atoi(r.FormValue("page"))
	if err != nil {
		number = 1
	}
	number = min(max(number, 1), last)
	from, to := (number-1)*size, min(number*size, len(rows))
	p := pager{From: min(from+1, to), To: to, Total: len(rows)}
	if number > 1 {
		p.Previous = addressOfPage(r, number-1)
	}
	if number < last {
		p.Next = addressOfPage(r, number+1)
	}
	return rows[from:to], p
}

func addressOfPage(r *http.Request, number int) string {
	q := r.URL.Query()
	q.Set("page", strconv.Itoa(number))
	return r.URL.EscapedPath() + "?" + q.Encode()
}
