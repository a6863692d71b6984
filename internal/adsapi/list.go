package adsapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// maxRestarts is how often a list begins anew after a cursor of its own was
// refused, as it is where somebody writes while we read.
const maxRestarts = 4

// maxBarrenPages is how many pages in a row may bring nothing new before the
// list counts as endless.
const maxBarrenPages = 20

// pageSizes are the largest pages of the lists that allow fewer or more than
// 500 rows (interface, part 8).
var pageSizes = map[string]int{"audit_logs": 100, "ad_account/insights": 2000, "ad_account/hotel_insights": 2000}

// List returns every resource of a collection, such as "campaigns", page by
// page with the cursor `after`. Each id comes once, even when it is on two
// pages. Where the service does not know its own cursor any more, or leads in a
// circle, the list begins anew, and what it then shows first is added. An error ends the list and
// means that it is not whole: what came before it must not be taken for the collection.
func (c *Client) List(ctx context.Context, collection string, q url.Values) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		seen := make(map[string]bool)
		barren := 0
		for records, err := range c.pages(ctx, collection, q, true) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			known := len(seen)
			for _, record := range records {
				if seen[record.ID] {
					continue
				}
				seen[record.ID] = true
				if !yield(record, nil) {
					return
				}
			}
			if barren++; len(seen) > known {
				barren = 0
			}
			if barren > maxBarrenPages {
				yield(Record{}, endless(collection, fmt.Sprintf("%d pages in a row brought nothing new", barren)))
				return
			}
		}
	}
}

// Rows returns every row of a list whose rows are not resources, such as
// "ad_account/insights". Nothing is dropped.
func (c *Client) Rows(ctx context.Context, collection string, q url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for records, err := range c.pages(ctx, collection, q, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, record := range records {
				if !yield(record.JSON, nil) {
					return
				}
			}
		}
	}
}

// pages returns the rows of one page after another, and an error instead of
// following a cursor twice.
func (c *Client) pages(ctx context.Context, collection string, q url.Values, needID bool) iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		for restarts := 0; ; restarts++ {
			again, stopped := c.pass(ctx, collection, q, needID, yield)
			if stopped || again == nil {
				return
			}
			if restarts == maxRestarts || !needID { // rows without ids cannot be told from those seen
				yield(nil, again)
				return
			}
		}
	}
}

// pass reads a list from its beginning. again is why it should begin anew.
func (c *Client) pass(ctx context.Context, collection string,
	q url.Values, needID bool, yield func([]Record, error) bool) (again error, stopped bool) {
	query, asked := pageQuery(collection, q)
	first := query.Get("after")
	followed := map[string]bool{first: true}
	for {
		p, err := c.page(ctx, collection, query, asked, needID)
		if cursor := query.Get("after"); cursor != first && cursorRefused(err) {
			return endless(collection, fmt.Sprintf("cursor %q was refused: %s", clean(cursor, 80), err)), false
		}
		if err != nil {
			return nil, !yield(nil, err)
		}
		if !yield(p.records, nil) {
			return nil, true
		}
		if !p.hasMore {
			return nil, false
		}
		if followed[p.lastID] {
			return endless(collection, fmt.Sprintf("cursor %q came twice", clean(p.lastID, 80))), false
		}
		followed[p.lastID] = true
		query.Set("after", p.lastID)
	}
}

// cursorRefused reports whether a cursor the service gave is good no more.
func cursorRefused(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.answered(http.StatusBadRequest,
		http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity)
}

func pageQuery(collection string, q url.Values) (query url.Values, asked int) {
	query = maps.Clone(q)
	if query == nil {
		query = url.Values{}
	}
	if !query.Has("limit") {
		size, ok := pageSizes[collection]
		if !ok {
			size = 500
		}
		query.Set("limit", strconv.Itoa(size))
	}
	asked, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		asked = 1 // the service will say what is wrong with it
	}
	return query, asked
}

func (c *Client) page(ctx context.Context, collection string, query url.Values, asked int, needID bool) (page, error) {
	var p page
	err := c.get(ctx, "/"+collection, query, func(body []byte) (err error) {
		p, err = decodePage(body, asked, needID)
		return err
	})
	return p, err
}

// endless is the error of a list that does not come to an end.
func endless(collection, why string) *Error {
	return &Error{
		Method: http.MethodGet, Path: "/" + collection, Status: http.StatusOK, fault: faultUnreadable,
		Message: why + "; the list is not whole",
	}
}
