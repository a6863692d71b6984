package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// print writes the table, and how the figures grow.
func (m *measuring) print(w io.Writer) {
	fmt.Fprintf(w, "\nA process that does nothing "+
		"(`adsync version`): %s of processor time, %s by the clock, %d MiB, %s allocations.\n",
		milliseconds(m.start.CPU), milliseconds(m.start.Clock), m.start.Peak>>20, thousands(m.start.Allocations))
	shape := ""
	for _, f := range m.rows {
		if f.Shape != shape {
			shape = f.Shape
			fmt.Fprintf(w, "\n%s: %s resources\n\n| command | processor | clock | floor | ÷ floor | allocations "+
				"| a resource | peak | requests | bound | 429 |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
				shape, thousands(uint64(f.Count)))
		}
		fmt.Fprintln(w, m.line(f))
	}
	fmt.Fprint(w, "\nGrowth: the exponent, what a process takes that does nothing left out.\n\n| command "+
		"| shape | from | to | processor | allocations | bytes | peak |\n|---|---|---|---|---|---|---|---|\n")
	for _, g := range m.growth() {
		fmt.Fprintln(w, g.line())
	}
}

// ratio is what a command takes beyond a process that does nothing, in floors:
// those know no start.
func (f *figure) ratio(start cost) float64 {
	return float64(f.Took.CPU-start.CPU) / float64(f.Floor.CPU)
}

func (m *measuring) line(f *figure) string {
	floor, ratio, allocations, each := "", "", "", ""
	if f.Floor.CPU > 0 {
		floor, ratio = milliseconds(f.Floor.CPU)+" "+f.FloorIs, fmt.Sprintf("%.2f", f.ratio(m.start))
	}
	if f.Took.Allocations > 0 {
		allocations, each = thousands(f.Took.Allocations),
			fmt.Sprintf("%.0f", float64(f.Took.Allocations)/float64(f.Count))
	}
	requests, bound := "", ""
	if f.Bound > 0 {
		requests, bound = fmt.Sprint(f.Requests), fmt.Sprint(f.Bound)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %d MiB | %s | %s | %d |",
		f.Command, milliseconds(f.Took.CPU),
		milliseconds(f.Took.Clock), floor, ratio, allocations, each, f.Took.Peak>>20, requests, bound, f.Refused)
}

func milliseconds(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func thousands(n uint64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// growth is how the figures of a command grow from an account to a larger one; 1 is
// linear.
type growth struct {
	small, large                  *figure
	cpu, allocations, bytes, peak float64
}

func (m *measuring) growth() (all []growth) {
	for _, small := range m.rows {
		for _, large := range m.rows {
			if large.Command != small.Command || large.family != small.family ||
				large.Size <= small.Size || small.Took.Allocations == 0 {
				continue
			}
			over := func(of func(cost) float64) float64 {
				start := of(m.start)
				return math.Log((of(large.Took)-start)/(of(small.Took)-start)) /
					math.Log(float64(large.Count)/float64(small.Count))
			}
			all = append(all, growth{small, large,
				over(func(c cost) float64 { return float64(c.CPU) }), over(func(c cost) float64 {
					return float64(c.Allocations)
				}),
				over(func(c cost) float64 { return float64(c.Bytes) }), over(func(c cost) float64 {
					return float64(c.Peak)
				})})
		}
	}
	return all
}

func (g growth) line() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f |", g.small.Command, g.large.Shape,
		thousands(uint64(g.small.Count)), thousands(uint64(g.large.Count)), g.cpu, g.allocations, g.bytes, g.peak)
}

// save writes the figures as JSON.
func (m *measuring) save(name string) {
	content, err := json.MarshalIndent(struct {
		Start   cost      `json:"start"` // of a process that does nothing
		Figures []*figure `json:"figures"`
	}{m.start, m.rows}, "", "  ")
	noError(m.t, err)
	noError(m.t, os.WriteFile(name, append(content, '\n'), 0o600))
}

// judge fails where a figure is beyond what may not be missed: growth of 1.10 from any
// account to a larger one, and at 15,000 in trees of three the ratios and peaks of one
// offline plan.
func (m *measuring) judge() {
	for _, g := range m.growth() {
		if g.cpu > 1.10 || g.allocations > 1.10 {
			m.t.Errorf("%s, %s: processor time grows by %.2f and allocations by %.2f; want at most 1.10",
				g.small.Command, g.large.Shape, g.cpu, g.allocations)
		}
	}
	most := map[string]struct {
		ratio float64
		mebi  int64
	}{
		"validate, YAML in one file": {2.5, 177}, "validate, YAML in many files": {2.5, 89},
		"validate, workbook": {1.3, 1 << 30},
	}
	for _, f := range m.rows {
		bound, judged := most[f.Command]
		if !judged || f.Size != 15_000 || f.family > 0 {
			continue
		}
		if ratio := f.ratio(m.start); ratio > bound.ratio || f.Took.Peak>>20 > bound.mebi {
			m.t.Errorf("%s: %.2f of its floor and %d MiB; want at most %.2f and %d",
				f.Command, ratio, f.Took.Peak>>20, bound.ratio, bound.mebi)
		}
	}
	for _, f := range m.rows {
		if f.Refused > 0 {
			m.t.Errorf("%s, %s: %d answers of 429; want none", f.Command, f.Shape, f.Refused)
		}
	}
}
