package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"

	"golang.org/x/text/unicode/norm"
)

// Decoder turns the service's records into live resources, by the schema.
type Decoder struct {
	Zone  *time.Location
	Files map[string]string // file id → image source, as far as we uploaded it
}

// Decode reads one record. Fields no attribute names are left where they are:
// in the record.
func (d Decoder) Decode(schema *resource.Schema, record adsapi.Record) (*resource.Resource, error) {
	fields, err := readFields(schema, record.JSON)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", schema.Kind, record.ID, err)
	}
	return d.resource(schema, record.ID, fields), nil
}

// DecodeWithFacts is Decode with what only the service says of the resource.
func (d Decoder) DecodeWithFacts(schema *resource.Schema, record adsapi.Record) (*resource.Resource, error) {
	fields, err := readFields(schema, record.JSON)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", schema.Kind, record.ID, err)
	}
	live := d.resource(schema, record.ID, fields)
	live.Facts = factsIn(schema, fields)
	return live, nil
}

func (d Decoder) resource(schema *resource.Schema, id string, fields map[string]any) *resource.Resource {
	live := &resource.Resource{Address: resource.Address{Kind: schema.Kind, Key: schema.Only}, ID: id}
	if schema.ParentWire != "" {
		live.ParentID, _ = fields[schema.ParentWire].(string)
	}
	for _, attributes := range [][]resource.Attribute{schema.Attributes, schema.Noted} {
		for i := range attributes {
			a := &attributes[i]
			if !plan.Readable(a) {
				continue
			}
			if wire := wireOf(a, fields); sameEverywhere(a, fields, wire) {
				live.Set(a.Name, d.Value(a, wire))
			}
		}
	}
	return live
}

// wireOf returns what a record says of an attribute: where the object around it leaves it
// out, the default that the service need not show.
func wireOf(a *resource.Attribute, fields map[string]any) any {
	wire := At(fields, a.Wire.Path)
	if wire != nil || a.Wire.Unset == "" {
		return wire
	}
	around, _, nested := CutLast(a.Wire.Path)
	if _, there := At(fields, around).(map[string]any); nested && there {
		return a.Wire.Unset
	}
	return nil
}

// sameEverywhere reports whether the fields an attribute sets at once agree.
func sameEverywhere(a *resource.Attribute, fields map[string]any, wire any) bool {
	text, _ := wire.(string)
	for _, path := range a.Wire.Same {
		if other, _ := At(fields, path).(string); other != text {
			return false
		}
	}
	return true
}

// Object reads the first JSON object of a text.
func Object(raw json.RawMessage) (fields map[string]any, err error) {
	value, err := readValue(raw)
	fields, is := value.(map[string]any)
	if err != nil || is || value == nil {
		return fields, err
	}
	return nil, json.NewDecoder(bytes.NewReader(raw)).Decode(&fields) // says what stands in its place
}

// readValue reads the first JSON value of a text. A variable of a map would cost a name twice: the decoder makes each
// anew to look for it there.
func readValue(raw []byte) (any, error) {
	d, _ := objectDecoders.Get().(*objectDecoder)
	if d == nil {
		d = &objectDecoder{}
		d.json = json.NewDecoder(&d.text)
		d.json.UseNumber()
	}
	d.text.Reset(raw)
	d.value = nil
	err := d.json.Decode(&d.value)
	value := d.value
	// nothing is left over for the next
	if err == nil && d.text.Len() == 0 && d.json.InputOffset()-d.read == int64(len(raw)) {
		d.read += int64(len(raw))
		d.text.Reset(nil)
		d.value = nil
		objectDecoders.Put(d)
	}
	return value, err
}

// objectDecoder reads one text after the other into the same buffer: accounts have
// as many as resources.
type objectDecoder struct {
	text  bytes.Reader
	json  *json.Decoder
	read  int64 // bytes of the texts so far
	value any
}

var objectDecoders sync.Pool

// At walks a dotted path and gives nil where it ends early.
func At(fields map[string]any, path string) any {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		return fields[key]
	}
	inner, _ := fields[key].(map[string]any)
	return At(inner, rest)
}

// Value returns the canonical value, text in the Unicode form that files are read in:
// what looks the same is no difference. null, "" and an empty list are all absent:
// the service has no value there.
func (d Decoder) Value(a *resource.Attribute, wire any) resource.Value {
	switch w := wire.(type) {
	case bool:
		if w && a.Wire.Codec == resource.Flag {
			return resource.Text(a.Choices[0].Value)
		}
	case string:
		return d.textValue(a, w)
	case json.Number:
		return d.numberValue(a, w)
	case []any:
		return listValue(a, w)
	case map[string]any:
		if v, err := resource.Object(w); err == nil && a.Wire.Codec == resource.RawJSON {
			return v
		}
	}
	return resource.Value{}
}

func (d Decoder) textValue(a *resource.Attribute, s string) resource.Value {
	switch {
	case s == "":
		return resource.Value{}
	case isNumber(a) && digitsOnly(s):
		return d.numberValue(a, json.Number(s))
	case a.Wire.Codec == resource.FileID && d.Files[s] != "":
		return resource.Text(d.Files[s])
	case a.Wire.Codec == resource.FileID:
		return resource.Text("file:" + s)
	case a.Wire.Codec == resource.Chosen && !a.Chooses(s):
		return resource.Value{}
	case a.Wire.Codec == resource.DayAfter:
		return resource.Text(resource.DayPlus(s, -1))
	}
	return resource.Text(norm.NFC.String(s))
}

func (d Decoder) numberValue(a *resource.Attribute, n json.Number) resource.Value {
	i, whole := wholeNumber(n.String())
	switch {
	case !whole, a.Wire.Codec == resource.Digits:
		return resource.Text(n.String())
	case a.Wire.Codec == resource.StartTime:
		return resource.Text(resource.DayOf(i, d.Zone))
	case a.Wire.Codec == resource.EndTime:
		return resource.Text(resource.LastDayOf(i, d.Zone))
	}
	return resource.Number(i)
}

// isNumber reports whether the service holds a number.
func isNumber(a *resource.Attribute) bool {
	return a.Type == resource.TypeMoney || a.Type == resource.TypeCount ||
		a.Wire.Codec == resource.StartTime || a.Wire.Codec == resource.EndTime
}

func digitsOnly(s string) bool {
	return len(s) < 20 && strings.Trim(s, "0123456789") == ""
}

// wholeNumber reads a whole number however it is written, such as 1e8 or
// 100000000.0, and never through a float.
func wholeNumber(s string) (int64, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	_, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	if len(s) > 40 || len(exponent) > 3 || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return 0, false
	}
	return exact.Num().Int64(), true
}

// objectItems is the entry of a list that an object stands for.
func objectItems(a *resource.Attribute, object map[string]any) []string {
	if a.Wire.Codec == resource.Factors {
		name, named := object[a.Wire.Pair.Name].(string)
		n, _ := object[a.Wire.Pair.Micros].(json.Number)
		if micros, whole := wholeNumber(n.String()); named && whole {
			return []string{resource.Factor{Name: name, Micros: micros}.String()}
		}
		return nil
	}
	if id, ok := object["id"].(string); ok {
		return []string{id}
	}
	return nil
}

func listValue(a *resource.Attribute, wire []any) resource.Value {
	var items []string
	for _, w := range wire {
		switch w := w.(type) {
		case string:
			items = append(items, norm.NFC.String(w))
		case json.Number:
			items = append(items, w.String())
		case map[string]any:
			items = append(items, objectItems(a, w)...)
		}
	}
	switch {
	case len(items) == 0:
		return resource.Value{}
	case a.Wire.Codec == resource.SingleItem:
		return resource.Text(strings.Join(items, " "))
	}
	if a.Type != resource.TypeHints {
		slices.Sort(items)
		items = slices.Compact(items)
	}
	return resource.List(items)
}
