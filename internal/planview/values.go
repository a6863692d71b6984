package planview

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/sentence"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// teller writes the values of a plan.
type teller struct {
	schemas   resource.Schemas
	room      int // characters of a value, beyond which it is cut aloud
	says      *says
	sentences *sentence.Teller // nil where changes are not said as sentences
}

// FieldLines returns what a change does to its fields, one a line, by the headers of their
// columns, without causes and holds. Text of files and service is made printable.
func FieldLines(schemas resource.Schemas, c plan.ChangeDocument) []string {
	t := teller{schemas: schemas, room: 80}
	var lines []string
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Cause != plan.SentAlong {
			lines = append(lines, words.Label(schemas.Of(c.Kind), f.Name)+": "+t.values(&c, f))
		}
	}
	if starts := startsOf(&c); starts != "" {
		lines = append(lines, strings.ToLower(startsTitle)+" "+starts)
	}
	return lines
}

// attribute describes a field; one no kind has is shown as it is.
func (t *teller) attribute(c *plan.ChangeDocument, f *plan.FieldDocument) *resource.Attribute {
	if s := t.schemas.Of(c.Kind); s != nil {
		if a, ok := s.Attribute(f.Name); ok {
			return a
		}
	}
	return &resource.Attribute{Name: f.Name, Type: resource.TypeText}
}

// values writes what is live and what the files want; where the service does
// not show the attribute, what was sent last.
func (t *teller) values(c *plan.ChangeDocument, f *plan.FieldDocument) string {
	a := t.attribute(c, f)
	from, to := of(f.Live), of(f.Desired)
	if !plan.Readable(a) {
		from = of(f.Last)
	}
	if t.begins(c, f) {
		return t.one(a, to, resource.Value{})
	}
	if f.Counted != nil {
		return joining(f.Counted, from, to)
	}
	shown := diag.Becomes(t.one(a, from, to), t.one(a, to, from))
	if a.Type.IsList() {
		return shown + difference(a, from, to)
	}
	return shown + moved(a, from, to)
}

// joining writes how many people there are before and after some join or leave. Who is
// there cannot be read, so that it is the most there can be.
func joining(c *plan.Counted, from, inFile resource.Value) string {
	people, _ := inFile.Number()
	does := "join"
	if c.Does == "remove" {
		does = "leave"
	}
	known, is := from.Number()
	switch {
	case c.Most == nil || !is:
		return catalogue.Say("people."+does+"-unread", "n", people)
	case *c.Most == known:
		return catalogue.Say("people."+does+"-same", "most", known, "n", people)
	}
	return catalogue.Say("people."+does, "before", known, "most", *c.Most, "n", people)
}

// begins reports whether the field is of a resource that is not there yet.
func (t *teller) begins(c *plan.ChangeDocument, f *plan.FieldDocument) bool {
	return c.Action == plan.Create || c.Action == plan.Replace && f.Phase == plan.Creates
}

func of(v *resource.Value) resource.Value {
	if v == nil {
		return resource.Value{}
	}
	return *v
}

// moved says by how much an amount rises or falls, and to what multiple.
func moved(a *resource.Attribute, from, to resource.Value) string {
	before, is := from.Number()
	after, will := to.Number()
	if a.Type != resource.TypeMoney || !is || !will || before == after {
		return ""
	}
	return " (" + signed(after-before) + ratio(before, after) + ")"
}

// one writes a value. A long text is cut, aloud, around where it differs.
func (t *teller) one(a *resource.Attribute, v, other resource.Value) string {
	letters := []rune(show(a, v))
	if len(letters) <= t.room {
		return string(letters)
	}
	start := 0
	if differs := commonPrefix(letters, []rune(show(a, other))); differs > t.room/2 && other.IsSet() {
		start = min(differs-t.room/4, len(letters)-t.room)
	}
	cut := string(letters[start : start+t.room])
	if start > 0 {
		cut = "…" + cut
	}
	if start+t.room < len(letters) {
		cut += "…"
	}
	return catalogue.Say("values.cut", "text", cut, "n", Thousands(len(letters)))
}

func show(a *resource.Attribute, v resource.Value) string {
	if a.Type == resource.TypeImage && v.IsSet() {
		return diag.Printable(v.Written())
	}
	return a.Show(v)
}

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// entriesShown is how many entries of a list are named as added or taken away.
const entriesShown = 5

// difference names what a list gains and loses.
func difference(a *resource.Attribute, before, after resource.Value) string {
	from, to := before.Items(), after.Items()
	called := map[string]string{}
	for _, v := range []resource.Value{before, after} {
		for i, shown := range a.Shown(v) {
			if id := v.Items()[i]; shown != id || called[id] == "" {
				called[id] = shown
			}
		}
	}
	var parts []string
	for _, d := range []struct {
		sign string
		say  func(string) string
		some []string
	}{{"+", diag.Gained, missingFrom(from, to)}, {"-", diag.Lost, missingFrom(to, from)}} {
		for _, item := range d.some[:min(len(d.some), entriesShown)] {
			parts = append(parts, d.say(oneOf(a, called[item])))
		}
		if more := len(d.some) - entriesShown; more > 0 {
			parts = append(parts, catalogue.Say("list.more", "n", fmt.Sprint(d.sign, more)))
		}
	}
	switch {
	case len(parts) > 0:
		return " [" + strings.Join(parts, " ") + "]"
	case len(from) != len(to):
		return " [" + catalogue.Say("values.repeated") + "]"
	case !slices.Equal(from, to):
		return " [" + catalogue.Say("values.order") + "]"
	}
	return ""
}

// entryLength is how many characters of an entry are shown.
const entryLength = 80

func oneOf(a *resource.Attribute, item string) string {
	shown := []rune(diag.Printable(item))
	if len(shown) > entryLength {
		shown = append(shown[:entryLength], '…')
	}
	if a.Type == resource.TypeHints {
		return `"` + string(shown) + `"`
	}
	return string(shown)
}

// missingFrom returns the entries of some that all does not hold.
func missingFrom(all, some []string) []string {
	held := make(map[string]bool, len(all))
	for _, item := range all {
		held[item] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(item string) bool { return held[item] })
}

// Amount writes micros as units with a comma before each three digits.
func Amount(micros int64) string {
	whole, fraction, _ := strings.Cut(resource.FormatMoney(micros), ".")
	sign, digits := "", whole
	if strings.HasPrefix(whole, "-") {
		sign, digits = "-", whole[1:]
	}
	return sign + grouped(digits) + "." + fraction
}

func signed(micros int64) string {
	if micros > 0 {
		return "+" + Amount(micros)
	}
	return Amount(micros)
}

// Thousands writes a number with a comma before each three digits.
func Thousands[N int | int64](n N) string { return grouped(strconv.FormatInt(int64(n), 10)) }

func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// ratio writes ", ×2.50", cut and not rounded, and nothing where it says nothing: where the amount
// is the same to half a hundredth, or next to nothing is left.
func ratio(from, to int64) string {
	switch {
	case from <= 0 || to < 0:
		return ""
	case to/from >= 1000:
		return ", " + catalogue.Say("sums.above")
	}
	high, low := bits.Mul64(uint64(to), 100)
	hundredths, _ := bits.Div64(high, low, uint64(from))
	if hundredths == 0 || hundredths == 100 || hundredths == 99 && to > from-from/200 {
		return ""
	}
	return fmt.Sprintf(", ×%d.%02d", hundredths/100, hundredths%100)
}
