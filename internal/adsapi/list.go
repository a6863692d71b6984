package adsapi

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// maxBarrenPages is how many pages in a row may bring nothing new before the
// list counts as endless.
const maxBarrenPages = 20

// pageSizes are the largest pages of the lists that allow fewer or more than
// 500 rows (interface, part 8).
var pageSizes = map[string]int{"audit_logs": 100, "ad_account/insights": 2000}

// List gives every resource of a collection, such as "campaigns", page by
// page with the cursor `after`. Each id comes once, even when it is on two
// pages. An error ends the list and means that it is not whole: what came
// before it must not be taken for the collection.
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

// Rows gives every row of a list whose rows are not resources, such as
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

// pages gives the rows of one page after another, and an error instead of
// following a cursor twice.
func (c *Client) pages(ctx context.Context, collection string, q url.Values, needID bool) iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		query, asked := pageQuery(collection, q)
		followed := map[string]bool{query.Get("after"): true}
		for {
			p, err := c.page(ctx, collection, query, asked, needID)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(p.records, nil) || !p.hasMore {
				return
			}
			if followed[p.lastID] {
				yield(nil, endless(collection, fmt.Sprintf("cursor %q came twice", clean(p.lastID, 80))))
				return
			}
			followed[p.lastID] = true
			query.Set("after", p.lastID)
		}
	}
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
