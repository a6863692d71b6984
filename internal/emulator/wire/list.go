package wire

// List is the published envelope of a list; all five fields are always there.
type List[V any] struct {
	Object  string  `json:"object"`
	Data    []V     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// Page is what a request asks of a list.
type Page struct {
	Limit         int
	After, Before string // ids; at most one is given
	Ascending     bool   // oldest first
}

// Page reads limit (1 to max, else usual), after, before and order.
func (q *Query) Page(usual, max int64, order string) Page {
	p := Page{
		Limit:  int(q.Int("limit", 1, max, usual)),
		After:  q.Text("after", 1, 1000),
		Before: q.Text("before", 1, 1000),
	}
	p.Ascending = q.Choice("order", order, "asc", "desc") == "asc"
	if p.After != "" && p.Before != "" {
		q.Fail("before", "invalid_value", "Only one of 'after' and 'before' can be given.")
	}
	return p
}

// BadCursor is the published answer to a cursor that names nothing.
func BadCursor() *Error { return Invalidf("after", "invalid_cursor", "Invalid pagination cursor.") }

// Cut takes one page out of rows that are in creation order. id names a row;
// a cursor must name one of rows. more says whether there is more in the
// direction of travel.
func Cut[R any](rows []R, id func(R) string, p Page) (page []R, more bool, err error) {
	n := len(rows)
	at := func(i int) R { // i counts in list order
		if p.Ascending {
			return rows[i]
		}
		return rows[n-1-i]
	}
	find := func(cursor string) int {
		for i := range n {
			if id(at(i)) == cursor {
				return i
			}
		}
		return -1
	}
	from, to := 0, min(n, p.Limit)
	switch {
	case p.After != "":
		i := find(p.After)
		if i < 0 {
			return nil, false, BadCursor()
		}
		from, to = i+1, min(n, i+1+p.Limit)
	case p.Before != "":
		i := find(p.Before)
		if i < 0 {
			return nil, false, BadCursor()
		}
		from, to = max(0, i-p.Limit), i
	}
	page = make([]R, 0, to-from)
	for i := from; i < to; i++ {
		page = append(page, at(i))
	}
	if p.Before != "" {
		return page, from > 0, nil
	}
	return page, to < n, nil
}

// NewList wraps one page.
func NewList[R, V any](page []R, more bool, id func(R) string, view func(R) V) List[V] {
	l := List[V]{Object: "list", Data: make([]V, len(page)), HasMore: more}
	for i, r := range page {
		l.Data[i] = view(r)
	}
	if len(page) > 0 {
		first, last := id(page[0]), id(page[len(page)-1])
		l.FirstID, l.LastID = &first, &last
	}
	return l
}
