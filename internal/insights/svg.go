package insights

import (
	"fmt"
	"io"
	"strings"
)

// The measures of a drawing in an HTML page.
const (
	svgWidth  = 860
	svgHeight = 240
	svgLeft   = 90
	svgBar    = 24
	svgLabels = 230
)

// drawSVG draws a figure over time as a line, else as bars.
func (r htmlForm) drawSVG(w io.Writer, charted []string) error {
	in, err := r.series()
	if err != nil {
		return err
	}
	for _, name := range charted {
		c := r.columnOf(name)
		for _, s := range in {
			title := c.Header
			if s.segment != "" && r.By == "none" {
				title += " by " + s.segment
			}
			fmt.Fprintf(w, "<h2>%s</h2>\n", escaped(title))
			if r.By != "none" && len(s.points) > 1 {
				svgLine(w, s, c)
			} else if err := svgBars(w, s.largest(c), c); err != nil {
				return err
			}
		}
	}
	return nil
}

func svgBars(w io.Writer, s series, c *Column) error {
	values, most := s.values(c)
	fmt.Fprintf(w, `<svg viewBox="0 0 %d %d" role="img">`+"\n", svgWidth, len(values)*svgBar+4)
	for i, v := range values {
		y := i * svgBar
		long := int64(0)
		if most > 0 {
			long = share8(v, most, svgWidth-svgLabels-110)
		}
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`, svgLabels-8, y+16,
			escaped(clipped(s.points[i].label, "")))
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="16" rx="2" fill="var(--bar)"/>`, svgLabels, y+4, long)
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`+"\n", svgLabels+long+6, y+16,
			escaped(c.metric.form.shown(s.points[i].sums.Of(c))))
	}
	fmt.Fprintln(w, "</svg>")
	if s.left > 0 {
		fmt.Fprintf(w, "<p>and %d more</p>\n", s.left)
	}
	return nil
}

func svgLine(w io.Writer, s *series, c *Column) {
	values, most := s.values(c)
	const top, bottom = 16, svgHeight - 30
	y := func(v int64) int64 {
		if most == 0 {
			return bottom
		}
		return bottom - share8(v, most, bottom-top)
	}
	x := func(i int) int { return svgLeft + i*(svgWidth-svgLeft-40)/(len(values)-1) }
	fmt.Fprintf(w, `<svg viewBox="0 0 %d %d" role="img">`+"\n", svgWidth, svgHeight)
	for _, part := range []int64{0, 1, 2} {
		v := most * part / 2
		fmt.Fprintf(w, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="var(--line)"/>`, svgLeft, svgWidth-40, y(v), y(v))
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", svgLeft-8, y(v)+4,
			escaped(c.metric.form.shown(decimal(v))))
	}
	var path strings.Builder
	for i, v := range values {
		fmt.Fprintf(&path, "%d,%d ", x(i), y(v))
	}
	fmt.Fprintf(w, `<polyline points="%s" fill="none" stroke="var(--bar)" stroke-width="2.5"/>`+"\n",
		strings.TrimSpace(path.String()))
	step := (len(values) + 7) / 8
	for i := 0; i < len(values); i += step {
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", x(i), svgHeight-8,
			escaped(s.points[i].label))
	}
	fmt.Fprintln(w, "</svg>")
}
