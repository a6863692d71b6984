package state

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"adsync/internal/resource"
)

// Row is one record of a state, for whoever keeps states as files.
type Row struct{ Class, Key, Value string }

// Rows returns the header and the records of a store that [Open] gave, but for the mirror: it holds
// nothing but what the service would say again.
func Rows(s Store) (Header, []Row, error) {
	l, err := ledgerOf(s)
	if err != nil {
		return Header{}, nil, err
	}
	return l.rows()
}

// RowsAhead returns them as they would be once all that is journalled, and the steps that are still to be, were sent
// at a moment: whoever goes on from there takes none of it for unsent, and gives no number again that may be given
// until then.
func RowsAhead(ctx context.Context, s Store, announced []Step, at time.Time) (Header, []Row, error) {
	l, err := ledgerOf(s)
	if err != nil {
		return Header{}, nil, err
	}
	ahead, err := l.inMemory()
	if err != nil {
		return Header{}, nil, err
	}
	j := journal{ahead}
	for _, step := range announced {
		if _, begun := ahead.sums[record{classStep, step.ID}]; begun {
			continue
		}
		if err := j.Begin(ctx, step); err != nil {
			return Header{}, nil, err
		}
	}
	heads, err := j.Heads(ctx)
	if err != nil {
		return Header{}, nil, err
	}
	for _, step := range heads {
		if step.Point != Intent {
			continue
		}
		err := j.Move(ctx, step.ID, Sent, Update{SentAt: at})
		if err != nil && !errors.Is(err, errKeyUsed) { // which never goes: it stays at intent
			return Header{}, nil, err
		}
	}
	if _, err := ahead.passOver(mostUnpushed); err != nil {
		return Header{}, nil, err
	}
	return ahead.rows()
}

// mostUnpushed is how many numbers are passed over where a run did not end: more than are given between two pushes.
const mostUnpushed = 1000

func ledgerOf(s Store) (*ledger, error) {
	h, ok := s.(*held)
	if !ok {
		return nil, errors.New("the records of a state are those of a folder that is open")
	}
	return h.ledger, nil
}

func (l *ledger) rows() (h Header, rows []Row, err error) {
	h, writes, err := l.records()
	for _, w := range writes {
		if w.class != classMirror {
			rows = append(rows, Row{string(w.class), w.key, w.value})
		}
	}
	return h, rows, err
}

// inMemory is a copy of a ledger, for looking ahead.
func (l *ledger) inMemory() (*ledger, error) {
	h, rows, err := l.rows()
	if err != nil {
		return nil, err
	}
	m, c := inMap(rows)
	c.header = h
	return newLedger(m, c, Options{Now: l.now}), nil
}

// inMap puts rows into memory.
func inMap(rows []Row) (memory, contents) {
	m, c := memory{}, newContents()
	var s summer
	for _, row := range rows {
		w := write{record: record{class(row.Class), row.Key}, value: row.Value}
		c.note(w.record, s.sum(w.record, w.value), len(w.value))
		m.apply(w)
	}
	return m, c
}

// RowsIn returns the records of a state in a folder, whoever has it open, also of one that was copied elsewhere. There
// is no lineage where there is no state.
func RowsIn(ctx context.Context, dir string) (h Header, rows []Row, err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return h, nil, err
	}
	f := folder(path)
	there, err := f.exists()
	if err != nil || !there {
		return h, nil, err
	}
	c := newContents()
	err = f.load(ctx, &c, true, func(r record, value string, _ uint64) {
		if r.class != classMirror {
			rows = append(rows, Row{string(r.class), r.key, value})
		}
	})
	return c.header, rows, err
}

// OfRows is a store of records that is only read.
func OfRows(h Header, rows []Row) (Store, error) {
	m, c := inMap(rows)
	c.header = h
	l := newLedger(m, c, Options{})
	l.readOnly = true
	return newStore(l), l.here()
}

// Fill puts records in the place of whatever state a folder has.
func Fill(ctx context.Context, dir string, h Header, rows []Row, o Options) (err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	f := folder(path)
	lock, err := f.take(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(lock)) }()
	return f.fillAgain(ctx, h, rows)
}

func (f folder) fillAgain(ctx context.Context, h Header, rows []Row) error {
	if err := f.selfTest(); err != nil {
		return err
	}
	for _, name := range []string{markName, databaseName, databaseName + "-wal", databaseName + "-shm"} {
		if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		}
	}
	_, c := inMap(rows)
	writes := make([]write, len(rows))
	for i, row := range rows {
		r := record{class(row.Class), row.Key}
		writes[i] = write{record: r, value: row.Value, sum: c.sums[r]}
	}
	h.Format = formatVersion
	return f.fill(ctx, h, c.tally, writes)
}

// line is a record as one line of JSON: its value is JSON, an address as it was applied, text, or neither.
type line struct {
	Key     string          `json:"key"`
	KeyIs   []byte          `json:"key_base64,omitempty"` // of a key that is no text
	Applied *appliedLine    `json:"applied,omitempty"`
	JSON    json.RawMessage `json:"json,omitempty"`
	Text    *string         `json:"text,omitempty"`
	Bytes   *string         `json:"base64,omitempty"`
}

// appliedLine is what was applied to a resource.
type appliedLine struct {
	ID         string         `json:"id,omitempty"`
	ParentID   string         `json:"parent_id,omitempty"`
	Attributes attributesLine `json:"attributes,omitempty"`
	Normal     attributesLine `json:"normal,omitempty"`
}

// attributesLine are attributes by name, in their order.
type attributesLine resource.Attributes

// Line returns the record as a line of JSON that people can read and compare, without an end of line.
func (r Row) Line() ([]byte, error) {
	for _, form := range []func(Row) (line, bool){Row.applied, Row.json, Row.text} {
		l, ok := form(r)
		if !ok {
			continue
		}
		text, err := marshalLine(l)
		if err != nil {
			return nil, err
		}
		if again, err := ParseRow(r.Class, text); err == nil && again == r {
			return text, nil
		}
	}
	value := base64.StdEncoding.EncodeToString([]byte(r.Value))
	l := line{Key: r.Key, Bytes: &value}
	if !utf8.ValidString(r.Key) {
		l.KeyIs = []byte(r.Key)
	}
	return marshalLine(l)
}

func marshalLine(l line) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

func (r Row) applied() (line, bool) {
	switch class(r.Class) {
	case classLast, classWaiting, classReverted:
	default:
		return line{}, false
	}
	at, err := decodeLast(r.Key, r.Value)
	if err != nil {
		return line{}, false
	}
	return line{Key: r.Key, Applied: &appliedLine{
		at.ID, at.ParentID, attributesLine(at.Attributes), attributesLine(at.Normal),
	}}, true
}

func (r Row) json() (line, bool) {
	starts := strings.HasPrefix(r.Value, "{") || strings.HasPrefix(r.Value, "[")
	return line{Key: r.Key, JSON: json.RawMessage(r.Value)}, starts && json.Valid([]byte(r.Value))
}

func (r Row) text() (line, bool) {
	return line{Key: r.Key, Text: &r.Value}, utf8.ValidString(r.Value)
}

// ParseRow reads what Line wrote.
func ParseRow(of string, text []byte) (Row, error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Row{}, fmt.Errorf("a line of %s cannot be read: %w", of, err)
	}
	r := Row{Class: of, Key: l.Key}
	if l.KeyIs != nil {
		r.Key = string(l.KeyIs)
	}
	switch {
	case l.Applied != nil:
		address, ok := resource.ParseAddress(l.Key)
		if !ok {
			return r, unreadable(record{class(of), l.Key})
		}
		value, err := encodeLast(&resource.Resource{
			Address: address, ID: l.Applied.ID, ParentID: l.Applied.ParentID,
			Attributes: resource.Attributes(l.Applied.Attributes), Normal: resource.Attributes(l.Applied.Normal),
		})
		r.Value = value
		return r, err
	case l.JSON != nil:
		r.Value = string(l.JSON)
	case l.Text != nil:
		r.Value = *l.Text
	case l.Bytes != nil:
		value, err := base64.StdEncoding.DecodeString(*l.Bytes)
		r.Value = string(value)
		return r, err
	}
	return r, nil
}

// MarshalJSON writes an object in the order of the attributes.
func (as attributesLine) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, a := range as {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(a.Name)
		if err != nil {
			return nil, err
		}
		value, err := a.Value.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. Money stays a whole number.
func (as *attributesLine) UnmarshalJSON(text []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	all := (*resource.Attributes)(as)
	for name, raw := range values {
		var items []string
		var one string
		switch raw[0] {
		case 'n':
			all.Set(name, resource.Null())
		case '[':
			if err := json.Unmarshal(raw, &items); err != nil {
				return err
			}
			all.Set(name, resource.List(items))
		case '"':
			if err := json.Unmarshal(raw, &one); err != nil {
				return err
			}
			all.Set(name, resource.Text(one))
		default:
			number, err := strconv.ParseInt(string(raw), 10, 64)
			if err != nil {
				return err
			}
			all.Set(name, resource.Number(number))
		}
	}
	return nil
}
