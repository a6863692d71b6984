package ads

import (
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// entry is what every list needs to know of a row.
type entry struct {
	id      string
	name    string
	created int64 // Unix seconds
	status  world.Status
}

// pageOf cuts the page a request asks for out of rows in creation order, and
// shows it. It takes limit, after, before, order and name, and applies the open
// points of lists. version is that of the table behind the rows.
func pageOf[R, V any](r *Room, c *service.Call, rows []R, version int64, of func(R) entry, view func(R) V) (wire.List[V], error) {
	page := c.Query.Page(20, 500, c.Points.Of(openpoint.ListOrder))
	name := c.Query.Name("name")
	if err := c.Query.Err(); err != nil {
		return wire.List[V]{}, err
	}
	if err := r.checkCursor(c, page, version); err != nil {
		return wire.List[V]{}, err
	}
	if c.Points.Is(openpoint.ShortPages, "yes") {
		page.Limit = (page.Limit + 1) / 2
	}
	id := func(row R) string { return of(row).id }
	shown := visible(c, rows, name, of)
	cut, more, err := wire.Cut(shown, id, page)
	if err != nil {
		return wire.List[V]{}, err
	}
	list := wire.NewList(cut, more, id, view)
	if list.LastID != nil {
		r.cursors.Store(cursorKey(c, *list.LastID), version)
	}
	return list, nil
}

// visible leaves out what the name filter or an open point hides.
func visible[R any](c *service.Call, rows []R, name string, of func(R) entry) []R {
	newest := c.Now().Add(-c.Points.Duration(openpoint.ListLag)).Unix()
	archived := c.Points.Is(openpoint.ListArchived, "yes")
	shown := make([]R, 0, len(rows))
	for _, row := range rows {
		e := of(row)
		if e.created > newest || (e.status == world.Archived && !archived) {
			continue
		}
		if name != "" && !strings.EqualFold(e.name, name) {
			continue
		}
		shown = append(shown, row)
	}
	return shown
}

// checkCursor refuses a cursor of a list that was written to since, where the
// open point says so.
func (r *Room) checkCursor(c *service.Call, page wire.Page, version int64) error {
	if page.After == "" || c.Points.Is(openpoint.CursorLife, "valid") {
		return nil
	}
	if given, ok := r.cursors.Load(cursorKey(c, page.After)); ok && given.(int64) != version {
		return wire.BadCursor()
	}
	return nil
}

func cursorKey(c *service.Call, id string) string {
	return c.Account.ID + " " + c.Route.Pattern + " " + id
}
