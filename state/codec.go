package state

import (
	"encoding/binary"
	"fmt"

	"adsync/internal/resource"
)

// The forms of a value in a record.
const (
	formNull   = 'n'
	formText   = 't'
	formNumber = 'i'
	formList   = 'l'
)

// encoder builds a record of texts and numbers: each text behind its length.
// It is a tenth of the time of JSON, which is what loading 15,000 resources
// comes down to.
type encoder struct {
	bytes []byte
	err   error
}

func (e *encoder) count(n int)    { e.bytes = binary.AppendUvarint(e.bytes, uint64(n)) }
func (e *encoder) number(n int64) { e.bytes = binary.AppendVarint(e.bytes, n) }

func (e *encoder) text(s string) {
	e.count(len(s))
	e.bytes = append(e.bytes, s...)
}

func (e *encoder) texts(items []string) {
	e.count(len(items))
	for _, item := range items {
		e.text(item)
	}
}

func (e *encoder) attributes(as resource.Attributes) {
	e.count(len(as))
	for i, a := range as {
		if i > 0 && as[i-1].Name >= a.Name {
			e.err = fmt.Errorf("attribute %q stands after %q; want them sorted by name, each once",
				a.Name, as[i-1].Name)
		}
		e.text(a.Name)
		e.value(a)
	}
}

// value writes what Equal compares: positions and the text as written stay out.
func (e *encoder) value(a resource.Named) {
	v := a.Value
	number, isNumber := v.Number()
	switch {
	case v.IsAbsent():
		e.err = fmt.Errorf("attribute %q is absent; want a value or null", a.Name)
	case v.IsNull():
		e.bytes = append(e.bytes, formNull)
	case isNumber:
		e.bytes = append(e.bytes, formNumber)
		e.number(number)
	case v.Equal(resource.Text(v.Text())):
		e.bytes = append(e.bytes, formText)
		e.text(v.Text())
	default:
		e.bytes = append(e.bytes, formList)
		e.texts(v.Items())
	}
}

// decoder reads what encoder wrote. Texts are parts of the record's own string.
// After the first thing that does not fit, everything reads as empty and end
// gives the error.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) fail() {
	d.rest, d.bad = "", true
}

func (d *decoder) unsigned() uint64 {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		c := d.rest[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.rest = d.rest[i+1:]
			return n
		}
	}
	d.fail()
	return 0
}

// count reads a length; it is never more than what is left could hold.
func (d *decoder) count() int {
	n := d.unsigned()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) number() int64 {
	n := d.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) text() string {
	n := d.count()
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) texts() []string {
	items := make([]string, d.count())
	for i := range items {
		items[i] = d.text()
	}
	return items
}

func (d *decoder) attributes() resource.Attributes {
	n := d.count()
	if n == 0 {
		return nil
	}
	as := make(resource.Attributes, n)
	for i := range as {
		as[i] = resource.Named{Name: d.text(), Value: d.value()}
	}
	return as
}

func (d *decoder) value() resource.Value {
	if d.rest == "" {
		d.fail()
		return resource.Value{}
	}
	form := d.rest[0]
	d.rest = d.rest[1:]
	switch form {
	case formNull:
		return resource.Null()
	case formNumber:
		return resource.Number(d.number())
	case formText:
		return resource.Text(d.text())
	case formList:
		return resource.List(d.texts())
	}
	d.fail()
	return resource.Value{}
}

func (d *decoder) address() resource.Address {
	a, ok := resource.ParseAddress(d.text())
	if !ok {
		d.fail()
	}
	return a
}

// end reports whether the record was read to its last byte and nothing was wrong.
func (d *decoder) end(r record) error {
	if d.bad || d.rest != "" {
		return unreadable(r)
	}
	return nil
}

func unreadable(r record) error {
	return fmt.Errorf("%w: record %s %q cannot be read; %s", ErrDamaged, r.class, r.key, restore)
}
