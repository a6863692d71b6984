package service

import (
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
)

// Entry is what every list needs to know of a row.
type Entry struct {
	ID       string
	Name     string // what the name filter compares
	Created  int64  // Unix seconds
	Archived bool
}

// Rows are the rows of a list in order of creation.
type Rows[R any] struct {
	All     []R
	Version int64 // of the table behind them; see world.Table.Version
	Entry   func(R) Entry
	Usual   int64 // default limit; 0: 20
	Max     int64 // greatest limit; 0: 500
	Whole   bool  // one page has all of them, whatever the request says of pages
}

// List cuts the page a request asks for out of rows, and shows it. It takes
// limit, after, before, order and name, and applies the open points of lists. It
// is called inside View.
func List[R, V any](c *Call, rows Rows[R], view func(R) V) (wire.List[V], error) {
	page := c.Query.Page(orUsual(rows.Usual, 20), orUsual(rows.Max, 500), c.Points.Of(openpoint.ListOrder))
	if rows.Whole {
		page = wire.Page{Limit: 2 * max(1, len(rows.All)), Ascending: page.Ascending} // twice: pages may be short
	}
	name := c.Query.Name("name")
	if err := c.Query.Err(); err != nil {
		return wire.List[V]{}, err
	}
	if err := checkCursor(c, page, rows.Version); err != nil {
		return wire.List[V]{}, err
	}
	if c.Points.Is(openpoint.ShortPages, "yes") {
		page.Limit = (page.Limit + 1) / 2
	}
	id := func(row R) string { return rows.Entry(row).ID }
	cut, more, err := wire.Cut(visible(c, rows, name), id, page)
	if err != nil {
		return wire.List[V]{}, err
	}
	list := wire.NewList(cut, more, id, view)
	if list.LastID != nil {
		c.Cursors.Store(cursorKey(c, *list.LastID), rows.Version)
	}
	return list, nil
}

func orUsual(n, usual int64) int64 {
	if n == 0 {
		return usual
	}
	return n
}

// visible leaves out what the name filter or an open point hides.
func visible[R any](c *Call, rows Rows[R], name string) []R {
	lag := c.Points.Duration(openpoint.ListLag)
	newest := c.Now().Add(-lag).Unix()
	archived := c.Points.Is(openpoint.ListArchived, "yes")
	if lag == 0 && archived && name == "" {
		return rows.All
	}
	shown := make([]R, 0, len(rows.All))
	for _, row := range rows.All {
		e := rows.Entry(row)
		if (lag > 0 && e.Created > newest) || (e.Archived && !archived) {
			continue
		}
		if name != "" && !strings.EqualFold(e.Name, name) {
			continue
		}
		shown = append(shown, row)
	}
	return shown
}

// checkCursor refuses a cursor of a list that was written to since, where the
// open point says so.
func checkCursor(c *Call, page wire.Page, version int64) error {
	if page.After == "" || c.Points.Is(openpoint.CursorLife, "valid") {
		return nil
	}
	if given, ok := c.Cursors.Load(cursorKey(c, page.After)); ok && given.(int64) != version {
		return wire.BadCursor()
	}
	return nil
}

func cursorKey(c *Call, id string) string {
	return c.Account.ID + " " + c.Route.Pattern + " " + id
}
