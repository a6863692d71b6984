package main

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/emulator/openpoint"
)

// lacking is a row of testdata/lacks.txt: what profiles lack where an open point has a
// value.
type lacking struct {
	name, point, value, reason string
}

func (l lacking) in(points *openpoint.Settings) bool {
	return points.Is(openpoint.Name(l.point), l.value)
}

// lackings reads testdata/lacks.txt.
func lackings() ([]lacking, error) {
	text, err := os.ReadFile("testdata/lacks.txt")
	if err != nil {
		return nil, err
	}
	var rows []lacking
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.Contains(fields[1], "=") {
			return nil,
				fmt.Errorf("lacks.txt has the line %q; want a name, an open point with its value, and a reason", line)
		}
		point, value, _ := strings.Cut(fields[1], "=")
		rows = append(rows, lacking{fields[0], point, value, strings.Join(fields[2:], " ")})
	}
	return rows, nil
}

// lacks:NAME is a condition of the scripts.
func lacks(profile string) (func(condition string) (bool, error), error) {
	rows, err := lackings()
	if err != nil {
		return nil, err
	}
	points, err := openpoint.Parse("profile:" + profile)
	if err != nil {
		return nil, err
	}
	return func(condition string) (bool, error) {
		i := slices.IndexFunc(rows, func(l lacking) bool { return condition == "lacks:"+l.name })
		if i < 0 {
			return false, fmt.Errorf("condition is %q; want lacks: with a name of testdata/lacks.txt", condition)
		}
		return rows[i].in(points), nil
	}, nil
}

// No row of the table is left over: a profile lacks it and another does not, and a script
// wants something there both ways.
func TestScriptsNameWhatProfilesLack(t *testing.T) {
	rows, err := lackings()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	scripts, err := fs.Glob(os.DirFS("testdata/script"), "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		script, err := os.ReadFile("testdata/script/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, condition := range regexp.MustCompile(`(?m)^\[(!?lacks:[a-z-]+)\]`).FindAllSubmatch(script, -1) {
			used[string(condition[1])] = true
		}
	}
	for _, row := range rows {
		var in, not int
		for _, profile := range openpoint.Profiles {
			points, err := openpoint.Parse("profile:" + profile)
			if err != nil {
				t.Fatal(err)
			}
			if row.in(points) {
				in++
			} else {
				not++
			}
		}
		if in == 0 || not == 0 || !used["lacks:"+row.name] || !used["!lacks:"+row.name] {
			t.Errorf("%s (%s): %d profiles lack it, %d do not; scripts name it: %v, %v; want some of each",
				row.name, row.reason, in, not, used["lacks:"+row.name], used["!lacks:"+row.name])
		}
	}
}
