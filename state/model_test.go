package state

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/internal/testing/pgtest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// model is a store as plain as it can be: what the real ones are held to.
type model struct {
	serial      int64
	last        map[resource.Address]Applied
	generations map[resource.Address]int
	sequence    int64
	points      map[string]Point
	order       []string
	files       map[string]string
}

func addresses() *rapid.Generator[resource.Address] {
	return rapid.Map(rapid.IntRange(0, 5), func(i int) resource.Address {
		return address(fmt.Sprintf("ad/spring/%d", i))
	})
}

// values draws every form of a value, with texts of any bytes.
func values() *rapid.Generator[resource.Value] {
	text := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	return rapid.OneOf(
		rapid.Just(resource.Null()),
		rapid.Map(text, resource.Text),
		rapid.Map(rapid.Int64(), resource.Number),
		rapid.Map(rapid.SliceOf(text), resource.List),
	)
}

func attributes() *rapid.Generator[resource.Attributes] {
	names := rapid.SampledFrom([]string{"bid", "hints", "name", "status", ""})
	return rapid.Map(rapid.MapOf(names, values()), func(m map[string]resource.Value) resource.Attributes {
		var as resource.Attributes
		for name, v := range m {
			as.Set(name, v)
		}
		return as
	})
}

func drawApplied(t *rapid.T) []Applied {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Applied {
		return Applied{
			Address: addresses().Draw(t, "address"), ID: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "id"),
			Attributes: attributes().Draw(t, "attributes"), Normal: attributes().Draw(t, "normal"),
			Replace: rapid.Bool().Draw(t, "replace"),
		}
	}), 0, 4).Draw(t, "applied")
}

func (m *model) record(applied []Applied) {
	for _, a := range applied {
		have := m.last[a.Address]
		if a.ID == "" {
			a.ID = have.ID
		}
		if !a.Replace {
			a.Attributes, a.Normal = merged(have.Attributes, a.Attributes),
				merged(without(have.Normal, a.Attributes), a.Normal)
		}
		m.last[a.Address] = a
	}
}

func merged(have, more resource.Attributes) resource.Attributes {
	all := slices.Clone(have)
	for _, n := range more {
		all.Set(n.Name, n.Value)
	}
	return all
}

func without(have, names resource.Attributes) resource.Attributes {
	all := slices.Clone(have)
	for _, n := range names {
		all.Set(n.Name, resource.Value{})
	}
	return all
}

// run does one thing to the model and to every store, and wants one answer.
type run struct {
	t      *rapid.T
	model  *model
	stores []Store
}

func (r run) each(call string, do func(Store) error, ok bool) {
	r.t.Helper()
	for i, s := range r.stores {
		if err := do(s); (err == nil) != ok {
			r.t.Fatalf("store %d: %s = %v, want success: %t", i, call, err, ok)
		}
	}
	if ok {
		r.model.serial++
	}
}

func (r run) recordSome() {
	applied := drawApplied(r.t)
	r.each("Record", func(s Store) error { return s.Record(r.t.Context(), applied) }, true)
	r.model.record(applied)
	if len(applied) == 0 {
		r.model.serial--
	}
}

func (r run) forget() {
	a := addresses().Draw(r.t, "address")
	_, there := r.model.last[a]
	r.each("Forget", func(s Store) error { return s.Forget(r.t.Context(), []resource.Address{a}) }, true)
	delete(r.model.last, a)
	if there {
		r.model.generations[a]++
	} else {
		r.model.serial--
	}
}

func (r run) advance() {
	a := addresses().Draw(r.t, "address")
	r.each("Advance", func(s Store) error { return s.Advance(r.t.Context(), []resource.Address{a}) }, true)
	r.model.generations[a]++
}

func (r run) next() {
	r.model.sequence++
	r.each("NextSequence", func(s Store) error {
		n, err := s.NextSequence(r.t.Context())
		if err == nil && n != r.model.sequence {
			err = fmt.Errorf("gave %d, want %d", n, r.model.sequence)
		}
		return err
	}, true)
}

func (r run) begin() {
	id := fmt.Sprintf("run/1/%d", rapid.IntRange(0, 9).Draw(r.t, "step"))
	_, there := r.model.points[id]
	r.each("Begin", func(s Store) error { return s.Begin(r.t.Context(), job(id, 2)) }, !there)
	if !there {
		r.model.points[id] = Intent
		r.model.order = append(r.model.order, id)
	}
}

func (r run) move() {
	if len(r.model.order) == 0 {
		return
	}
	id := rapid.SampledFrom(r.model.order).Draw(r.t, "step")
	to := rapid.SampledFrom(points).Draw(r.t, "point")
	ok := slices.Contains(moves[r.model.points[id]], to)
	if to == Bound {
		applied := drawApplied(r.t)
		r.each("Finish", func(s Store) error { return s.Finish(r.t.Context(), id, applied, nil) }, ok)
		if ok {
			r.model.record(applied)
		}
	} else {
		r.each("Move to "+string(to), func(s Store) error { return s.Move(r.t.Context(), id, to, Update{}) }, ok)
	}
	if ok {
		r.model.points[id] = to
	}
}

func (r run) recordFile() {
	source := rapid.SampledFrom([]string{"sha256:1", "https://x.example/ä.png", ""}).Draw(r.t, "source")
	id := rapid.String().Draw(r.t, "file id")
	r.each("RecordFile", func(s Store) error { return s.RecordFile(r.t.Context(), source, id) }, true)
	r.model.files[source] = id
}

// compare holds a store against the model.
func (m *model) compare(t *rapid.T, s Store) {
	if got := s.Header().Serial; got != m.serial {
		t.Fatalf("serial is %d, want %d", got, m.serial)
	}
	want := &resource.Snapshot{}
	for a, r := range m.last {
		want.Add(&resource.Resource{Address: a, ID: r.ID, Attributes: empty(r.Attributes), Normal: empty(r.Normal)})
	}
	last, err := s.Last(t.Context())
	if diff := cmp.Diff(slices.Collect(want.All()), slices.Collect(last.All())); diff != "" || err != nil {
		t.Fatalf("Last() differs (-want +got), %v:\n%s", err, diff)
	}
	for a, n := range m.generations {
		if got, err := s.Generation(t.Context(), a); got != n+1 || err != nil {
			t.Fatalf("Generation(%s) = %d, %v, want %d", a, got, err, n+1)
		}
	}
	var wantOpen, gotOpen []string
	for _, id := range m.order {
		if m.points[id].IsOpen() {
			wantOpen = append(wantOpen, id+" "+string(m.points[id]))
		}
	}
	steps, err := s.Open(t.Context())
	for _, step := range steps {
		gotOpen = append(gotOpen, step.ID+" "+string(step.Point))
	}
	if diff := cmp.Diff(wantOpen, gotOpen); diff != "" || err != nil {
		t.Fatalf("Open() differs (-want +got), %v:\n%s", err, diff)
	}
	if files, err := s.Files(t.Context()); err != nil || !maps.Equal(files, m.files) {
		t.Fatalf("Files() = %v, %v, want %v", files, err, m.files)
	}
}

// empty returns attributes as they are read: nil where there are none.
func empty(as resource.Attributes) resource.Attributes {
	if len(as) == 0 {
		return nil
	}
	return as
}

func TestStoresAgreeWithAPlainMap(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	outer := t
	server, twin := openServer(t, pgtest.Database(t)), openTwin(t)
	accounts := 0
	rapid.Check(t, func(t *rapid.T) {
		dir := outer.TempDir()
		folder := openFolder(outer, dir)
		memory, err := NewMemory(options())
		must(outer, err)
		m := &model{
			serial: 1, last: map[resource.Address]Applied{}, generations: map[resource.Address]int{},
			points: map[string]Point{}, files: map[string]string{},
		}
		accounts++
		account := fmt.Sprintf("act_%d", accounts)
		remote := func(in *Server) Store {
			s, err := in.Open(outer.Context(), account, options())
			must(outer, err)
			return s
		}
		stores := []Store{memory, folder, remote(server), remote(twin)}
		r := run{t, m, stores}
		t.Repeat(map[string]func(*rapid.T){
			"record":  func(t *rapid.T) { r.with(t).recordSome() },
			"forget":  func(t *rapid.T) { r.with(t).forget() },
			"advance": func(t *rapid.T) { r.with(t).advance() },
			"next":    func(t *rapid.T) { r.with(t).next() },
			"begin":   func(t *rapid.T) { r.with(t).begin() },
			"move":    func(t *rapid.T) { r.with(t).move() },
			"file":    func(t *rapid.T) { r.with(t).recordFile() },
			"reopen": func(t *rapid.T) {
				must(outer, errors.Join(stores[1].Close(), stores[2].Close(), stores[3].Close()))
				stores[1], stores[2], stores[3] = openFolder(outer, dir), remote(server), remote(twin)
			},
			"": func(t *rapid.T) { m.compare(t, stores[0]) },
		})
		for _, s := range stores[1:] {
			m.compare(t, s)
		}
		reader, err := OpenReadOnly(t.Context(), dir)
		must(outer, err)
		m.compare(t, reader)
		for _, in := range []*Server{server, twin} {
			reader, err = in.OpenReadOnly(t.Context(), account)
			must(outer, err)
			m.compare(t, reader)
		}
		must(outer, errors.Join(stores[1].Close(), stores[2].Close(), stores[3].Close()))
	})
}

func (r run) with(t *rapid.T) run {
	r.t = t
	return r
}

func TestRecordReadsBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &resource.Resource{
			Address: address("ad/a"), ID: rapid.String().Draw(t, "id"), ParentID: rapid.String().Draw(t, "parent"),
			Attributes: empty(attributes().Draw(t, "attributes")), Normal: empty(attributes().Draw(t, "normal")),
		}
		text, err := encodeLast(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeLast("ad/a", text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("decodeLast(encodeLast(r)) differs (-want +got), %v:\n%s", err, diff)
		}
	})
}

// Any bytes are a resource that writes the same bytes' meaning, or an error.
func FuzzDecodeLast(f *testing.F) {
	text, err := encodeLast(&resource.Resource{
		ID: "ad_1", Attributes: with("bid", 5, "hints", []string{"a", "b"}, "name", "x", "status", nil),
	})
	must(f, err)
	f.Add(text)
	f.Add("\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decodeLast("ad/a", text)
		if err != nil {
			return
		}
		again, err := encodeLast(r)
		if err != nil {
			return // read, but not in the order a writer keeps
		}
		same, err := decodeLast("ad/a", again)
		if diff := cmp.Diff(r, same); diff != "" || err != nil {
			t.Errorf("decodeLast(%q) does not survive another writing, %v:\n%s", text, err, diff)
		}
	})
}
