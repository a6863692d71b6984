package figures

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/state/kv"
)

// metrics are the figures that are kept, by the service's words (service facts, section 10). All of them add up; rates
// follow from them.
var metrics = [...]string{"impressions", "clicks", "spend", "conversions", "order_created_attributed_sales"}

// Levels are what days are kept of, from the top down.
var Levels = [...]string{"campaign", "ad_group", "ad"}

// How long days are kept, and how far back the service has them (service facts, section 10: about a year).
const (
	KeptDays    = 400
	serviceDays = 365
)

// Where what is kept lies beside the state of an account.
const (
	folder    = "figures/"
	indexName = folder + "index.json"
	namesName = folder + "names"
)

func dayName(day string) string { return folder + "days/" + day }

const formatVersion = 1

// The most bytes of a content, packed and unpacked.
const (
	mostPacked   = 64 << 20
	mostUnpacked = 512 << 20
)

// dayRow is what one resource did on one day.
type dayRow struct {
	ID     string
	Values [len(metrics)]int64 // in millionths: money in micros of the account's currency
	Known  [len(metrics)]bool  // whether the service gave the figure
}

// Resource is what the service last called a resource, and where it belongs.
type Resource struct {
	Name   string
	Parent string // id of its campaign or ad group; "" of a campaign
}

// dayRead is what all resources did on one day of the account.
type dayRead struct {
	Taken  time.Time             // when it was read, by the service's clock
	Levels [len(Levels)][]dayRow // each in the order of ids
}

// dayRecord is a day; each level is columns of its own, of which a table reads one.
type dayRecord struct {
	Version int
	Taken   int64 // Unix seconds
	Levels  [len(Levels)][]byte
}

// columns are the rows of a level, which pack well so.
type columns struct {
	IDs    string // a line each
	Values [len(metrics)][]int64
	Known  []byte // bits by the order of the metrics
}

// Kept are the days of an account.
type Kept struct {
	Store   kv.Store
	Earlier *Earlier // what Spent need not add up again; nil: nothing
}

// Index is which days are kept, and of whom.
type Index struct {
	FormatVersion int              `json:"format_version"`
	Currency      string           `json:"currency"`
	Brand         string           `json:"brand,omitempty"` // what people saw as who advertises; "" is not known
	Zone          string           `json:"time_zone"`
	Taken         map[string]int64 `json:"taken"` // when each day was read, in Unix seconds, by its date (2026-11-28)
}

// Index returns which days are kept; none where it was damaged or is of another adsync: they are read anew.
func (k Kept) Index() (Index, error) {
	content, err := k.Store.Get(indexName, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Index{}, err
	}
	var i Index
	if json.Unmarshal(content, &i) != nil || i.FormatVersion != formatVersion || i.Taken == nil {
		i = Index{Taken: map[string]int64{}}
	}
	return i, nil
}

func (k Kept) putIndex(i Index) error {
	i.FormatVersion = formatVersion
	content, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return k.Store.Put(indexName, append(content, '\n'))
}

// Now returns a moment in the zone of the account's days; false before any was read.
func (i *Index) Now(at time.Time) (time.Time, bool) {
	zone, err := time.LoadLocation(i.Zone)
	if err != nil || i.Zone == "" {
		return at.UTC(), false
	}
	return at.In(zone), true
}

// level returns the rows of a level on a day, and when the day was read; fs.ErrNotExist where it is not kept.
func (k Kept) level(date string, at int) (rows []dayRow, taken time.Time, err error) {
	var r dayRecord
	if err := k.get(dayName(date), &r); err != nil {
		return nil, taken, err
	}
	var c columns
	err = gob.NewDecoder(bytes.NewReader(r.Levels[at])).Decode(&c)
	if err == nil && r.Version == formatVersion {
		if rows, ok := c.rows(); ok {
			return rows, time.Unix(r.Taken, 0).UTC(), nil
		}
	}
	return nil, taken, fmt.Errorf("%s cannot be read, or is of another adsync: %w",
		k.Store.Where(dayName(date)), fs.ErrNotExist)
}

// rows are the rows of columns; false where these are not of one length.
func (c *columns) rows() ([]dayRow, bool) {
	rows := make([]dayRow, strings.Count(c.IDs, "\n"))
	ok := len(c.Known) == len(rows)
	for m := range metrics {
		ok = ok && len(c.Values[m]) == len(rows)
	}
	if !ok {
		return nil, false
	}
	left := c.IDs
	for i := range rows {
		rows[i].ID, left, _ = strings.Cut(left, "\n")
		for m := range metrics {
			rows[i].Values[m], rows[i].Known[m] = c.Values[m][i], c.Known[i]&(1<<m) != 0
		}
	}
	return rows, true
}

func (k Kept) putDay(date string, day *dayRead) error {
	r := dayRecord{Version: formatVersion, Taken: day.Taken.Unix()}
	for at, rows := range day.Levels {
		slices.SortFunc(rows, func(a, b dayRow) int { return cmp.Compare(a.ID, b.ID) })
		var c columns
		var ids strings.Builder
		for i := range rows {
			ids.WriteString(rows[i].ID)
			ids.WriteByte('\n')
			known := byte(0)
			for m := range metrics {
				c.Values[m] = append(c.Values[m], rows[i].Values[m])
				if rows[i].Known[m] {
					known |= 1 << m
				}
			}
			c.Known = append(c.Known, known)
		}
		c.IDs = ids.String()
		var packed bytes.Buffer
		if err := gob.NewEncoder(&packed).Encode(c); err != nil {
			return err
		}
		r.Levels[at] = packed.Bytes()
	}
	return k.put(dayName(date), &r)
}

// Resources returns what the service last called each resource, by level and id.
func (k Kept) Resources() (known [len(Levels)]map[string]Resource, err error) {
	err = k.get(namesName, &known)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for at := range known {
		if known[at] == nil {
			known[at] = map[string]Resource{}
		}
	}
	return known, err
}

// get reads what was packed by put. What cannot be unpacked is fs.ErrNotExist: it is read from the service anew.
func (k Kept) get(name string, into any) error {
	content, err := k.Store.Get(name, mostPacked)
	if err != nil {
		return err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err == nil {
		err = gob.NewDecoder(io.LimitReader(unpacked, mostUnpacked)).Decode(into)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read (%w): %w", k.Store.Where(name), err, fs.ErrNotExist)
	}
	return nil
}

// packers are used again: a new one costs more than a day that it packs.
var packers = sync.Pool{New: func() any {
	packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // an error is that of an unknown level
	return packer
}}

func (k Kept) put(name string, content any) error {
	var b bytes.Buffer
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(&b)
	if err := errors.Join(gob.NewEncoder(packer).Encode(content), packer.Close()); err != nil {
		return err
	}
	return k.Store.Put(name, b.Bytes())
}
