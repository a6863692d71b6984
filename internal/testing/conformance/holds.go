package conformance

import (
	"adsync/internal/testing/conformance/rules"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed holds.txt
var holdsText string

// Holding says for which values of open points a row holds: point, then values. A
// point that is not in it does not matter to the row.
type Holding map[string][]string

// Holds are the rows that do not hold for every value of every point, by name.
// They are read from holds.txt: a line "point = value value", and beneath it,
// indented, the names of rows.
var Holds = readHolds(holdsText)

func readHolds(text string) map[string]Holding {
	holds := map[string]Holding{}
	point, values := "", []string(nil)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			if holds[name] == nil {
				holds[name] = Holding{}
			}
			holds[name][point] = values
			continue
		}
		name, list, _ := strings.Cut(line, "=")
		point, values = strings.TrimSpace(name), strings.Fields(list)
	}
	return holds
}

// writeHolds is the text of holds.txt.
func writeHolds(holds map[string]Holding) string {
	rows := map[string][]string{} // by line
	for name, h := range holds {
		for point, values := range h {
			line := fmt.Sprintf("%s = %s", point, strings.Join(values, " "))
			rows[line] = append(rows[line], name)
		}
	}
	var b strings.Builder
	b.WriteString(holdsTop)
	for _, line := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "\n%s\n", line)
		for _, name := range slices.Sorted(slices.Values(rows[line])) {
			fmt.Fprintf(&b, "\t%s\n", name)
		}
	}
	return b.String()
}

const holdsTop = `# Rows that say what a service does for some values of an open point only. A row that
# is not named beneath a point holds for every value of it that a profile takes. A
# test writes this page with -derive; read what changed.
`

// Holds reports whether the row is about a service with these points; a point that
// is not among them is as published. It gives the point that says otherwise.
func (r Row) Holds(points map[string]string) (bool, string) {
	for _, e := range rules.Endpoints {
		if e.Addition() && points[e.Point] == "absent" && slices.ContainsFunc(r.Steps(), func(s Step) bool {
			return e.Takes(s.Method, s.Path)
		}) {
			return false, e.Point
		}
	}
	for point, values := range Holds[r.Name] {
		if value, known := points[point]; known && !slices.Contains(values, value) {
			return false, point
		}
	}
	return true, ""
}
