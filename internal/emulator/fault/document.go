package fault

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"adsync/internal/emulator/wire"
)

// maxDocument bounds a document, bytes, and maxFaults what is in it.
const (
	maxDocument = 1 << 20
	maxFaults   = 1000
)

// Read reads a document: {"seed": 7, "faults": [{"name": …, "match": {…},
// "action": {KIND: {…}}}]}. Seed and name may be left out, and match when
// everything is meant. It refuses unknown fields, values of the wrong type, and
// conditions that the action can never meet; the error names the field.
func Read(r io.Reader) ([]Fault, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	if len(text) > maxDocument {
		return nil, wire.Invalidf("", "request_too_large",
			"The document of faults is larger than %d bytes.", maxDocument)
	}
	return Parse(text)
}

// Parse is Read of a whole text.
func Parse(text []byte) ([]Fault, error) {
	o, problem := wire.ParseObject(text)
	if problem != nil {
		return nil, problem
	}
	o.Require("faults")
	seed := uint64(o.Int("seed", 0, 1<<53).Or(1))
	var faults []Fault
	for _, each := range o.Objects("faults", 1, maxFaults).V {
		faults = append(faults, readFault(each, seed))
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	return faults, nil
}

func readFault(o *wire.Object, seed uint64) Fault {
	o.Require("action")
	f := Fault{
		Name: o.Name("name", 1, 255).V, seed: seed,
		Match: o.Raw("match").V, Action: o.Raw("action").V,
	}
	f.Kind, f.action = readAction(o)
	if m, _ := o.Object("match"); m != nil {
		f.match = readMatch(m, f.action)
	}
	if f.Match == nil {
		f.Match = json.RawMessage("null")
	}
	return f
}

// readAction takes {KIND: {…}}.
func readAction(o *wire.Object) (kind string, a action) {
	holder, _ := o.Object("action")
	if holder == nil {
		return "", a
	}
	if holder.Len() != 1 {
		holder.Fail("", "invalid_value", "'%s' has %d fields; want one, which names the fault.",
			holder.At(""), holder.Len())
		return "", a
	}
	kind = holder.Names()[0]
	var names []string
	for _, row := range table {
		if row.Name != kind {
			names = append(names, row.Name)
			continue
		}
		if settings, _ := holder.Object(kind); settings != nil {
			return kind, row.read(settings)
		}
		return kind, a
	}
	holder.Fail(kind, "invalid_value", "No fault is called %q; want one of %s.", kind, strings.Join(names, ", "))
	return kind, a
}

// duration takes a field such as "1.5s". It must not be negative.
func duration(o *wire.Object, name string) time.Duration {
	o.Require(name)
	text := o.Text(name, 1, 40)
	d, err := time.ParseDuration(text.V)
	if text.Given() && (err != nil || d < 0) {
		o.Fail(name, "invalid_value", "'%s' is %q; want a duration such as 1.5s or 10m.", o.At(name), text.V)
	}
	return d
}
