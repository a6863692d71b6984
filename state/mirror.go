package state

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"adsync/internal/resource"
)

// Mirror is the account as it was last read, and where the audit log stood then.
// It holds nothing but what the service would say again.
type Mirror struct {
	Full     time.Time       // when all of it was read; zero: there is no mirror
	Log      json.RawMessage // where the audit log stood, in the words of its reader
	Awaited  []string        // ids that applies have set out to change since
	Mirrored []Mirrored      // in the order of their ids
}

// Mirrored is one resource as the service gave it.
type Mirrored struct {
	Kind     resource.Kind
	ID       string
	ParentID string
	Record   json.RawMessage
}

// mirrorHead is the record beside the buckets.
type mirrorHead struct {
	Full    time.Time       `json:"full"`
	Log     json.RawMessage `json:"log,omitempty"`
	Awaited []string        `json:"awaited,omitempty"`
}

// Resources lie in buckets by a hash of their ids, so that what changed in a few
// rewrites a few records, and 15,000 take a megabyte.
const (
	mirrorBuckets  = 64
	mirrorHeadKey  = "head"
	largestMirrors = 1 << 30 // bytes of one bucket, unpacked
)

// Mirror returns the account as it was last read.
func (l facts) Mirror(_ context.Context) (Mirror, error) {
	var m Mirror
	err := l.view(func(b *batch) error {
		head, there, err := mirrors{b}.mirrorHead()
		if err != nil || !there {
			return err
		}
		m.Full, m.Log, m.Awaited = head.Full, head.Log, head.Awaited
		return b.engine.each(classMirror, func(key, value string) error {
			if key == mirrorHeadKey {
				return nil
			}
			bucket, err := unpackMirrored(key, value)
			m.Mirrored = append(m.Mirrored, bucket...)
			return err
		})
	})
	slices.SortFunc(m.Mirrored, func(a, b Mirrored) int { return cmp.Compare(a.ID, b.ID) })
	return m, err
}

// MirrorHead is Mirror without the resources.
func (l facts) MirrorHead(_ context.Context) (Mirror, error) {
	var head mirrorHead
	err := l.view(func(b *batch) (err error) {
		head, _, err = mirrors{b}.mirrorHead()
		return err
	})
	return Mirror{Full: head.Full, Log: head.Log, Awaited: head.Awaited}, err
}

// RecordMirror puts a mirror in the place of the one that is there; what is the
// same is not written again.
func (l facts) RecordMirror(_ context.Context, m Mirror) error {
	buckets := make([][]Mirrored, mirrorBuckets)
	for _, r := range m.Mirrored {
		i := bucketOf(r.ID)
		buckets[i] = append(buckets[i], r)
	}
	return l.change(func(b *batch) error {
		for i, bucket := range buckets {
			key := strconv.Itoa(i)
			if len(bucket) == 0 {
				b.remove(classMirror, key)
				continue
			}
			value, err := packMirrored(bucket)
			if err != nil {
				return fmt.Errorf("record the mirror: %w", err)
			}
			b.putChanged(classMirror, key, value)
		}
		return mirrors{b}.putMirrorHead(mirrorHead{m.Full.UTC(), m.Log, m.Awaited})
	})
}

// Await notes ids that are about to be changed: what the mirror shows of them is
// not what is live any more. Without a mirror it does nothing.
func (l facts) Await(_ context.Context, ids []string) error {
	return l.change(func(b *batch) error {
		head, there, err := mirrors{b}.mirrorHead()
		if err != nil || !there || len(ids) == 0 {
			return err
		}
		head.Awaited = append(head.Awaited, ids...)
		slices.Sort(head.Awaited)
		head.Awaited = slices.Compact(head.Awaited)
		return mirrors{b}.putMirrorHead(head)
	})
}

func (b mirrors) mirrorHead() (head mirrorHead, there bool, err error) {
	r := record{classMirror, mirrorHeadKey}
	value, there, err := b.get(r)
	if err == nil && there && json.Unmarshal([]byte(value), &head) != nil {
		err = unreadable(r)
	}
	return head, there, err
}

func (b mirrors) putMirrorHead(head mirrorHead) error {
	if head.Full.IsZero() {
		b.remove(classMirror, mirrorHeadKey)
		return nil
	}
	value, err := json.Marshal(head)
	if err == nil {
		b.putChanged(classMirror, mirrorHeadKey, string(value))
	}
	return err
}

// putChanged writes a record unless it holds the value already.
func (b *batch) putChanged(c class, key, value string) {
	r := record{c, key}
	if sum, there := b.sums[r]; there && sum == b.summer.sum(r, value) {
		return
	}
	b.put(c, key, value)
}

func bucketOf(id string) int {
	h := fnv.New32a()
	_, _ = io.WriteString(h, id) // a hash takes everything
	return int(h.Sum32() % mirrorBuckets)
}

func packMirrored(bucket []Mirrored) (string, error) {
	slices.SortFunc(bucket, func(a, b Mirrored) int { return cmp.Compare(a.ID, b.ID) })
	e := encoder{}
	e.count(len(bucket))
	for _, r := range bucket {
		e.texts([]string{string(r.Kind), r.ID, r.ParentID, string(r.Record)})
	}
	var packed bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(e.bytes); err != nil {
		return "", err
	}
	err := w.Close()
	return packed.String(), err
}

// packers holds writers between calls: a new one is 600 KiB of tables.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the library's
	}
	return w
}}

func unpackMirrored(key, value string) ([]Mirrored, error) {
	r := record{classMirror, key}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader([]byte(value))), largestMirrors))
	if err != nil {
		return nil, unreadable(r)
	}
	d := decoder{rest: string(plain)}
	bucket := make([]Mirrored, 0, 256)
	for range d.count() {
		parts := d.texts()
		if len(parts) != 4 {
			return nil, unreadable(r)
		}
		bucket = append(bucket, Mirrored{resource.Kind(parts[0]), parts[1], parts[2], json.RawMessage(parts[3])})
	}
	return bucket, d.end(r)
}
