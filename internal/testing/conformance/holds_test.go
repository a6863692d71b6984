package conformance

import (
	"flag"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"adsync/internal/emulator/openpoint"
)

var derive = flag.Bool("derive", false, "find what the rows hold for, and write holds.txt")

// TestRowsSayWhatTheyHoldFor: every name in holds.txt is that of a row and of a point,
// and every value one of the point's.
func TestRowsSayWhatTheyHoldFor(t *testing.T) {
	for name, holding := range Holds {
		if !slices.ContainsFunc(Rows, func(r Row) bool { return r.Name == name }) {
			t.Errorf("holds.txt names %q, which is no row", name)
		}
		for point, values := range holding {
			i := slices.IndexFunc(openpoint.Table(), func(p openpoint.Point) bool { return string(p.Name) == point })
			if i < 0 {
				t.Errorf("holds.txt names %q, which is no open point", point)
				continue
			}
			for _, value := range values {
				if !slices.Contains(openpoint.Table()[i].Values, value) {
					t.Errorf("holds.txt: %s = %s; want one of %q", point, value, openpoint.Table()[i].Values)
				}
			}
		}
	}
}

// TestEveryRowIsRunInAProfile: no row is left out of all three.
func TestEveryRowIsRunInAProfile(t *testing.T) {
	for _, row := range Rows {
		if !slices.ContainsFunc(openpoint.Profiles, func(name string) bool {
			held, _ := row.Holds(pointsOf(t, name))
			return held
		}) {
			_, point := row.Holds(pointsOf(t, openpoint.Published))
			t.Errorf("%s is run in no profile; %s stands in its way in the published one", row.Name, point)
		}
	}
}

// TestDeriveHolds writes holds.txt. The clock of a row stands still, so points that
// only take time are left as they are.
func TestDeriveHolds(t *testing.T) {
	if !*derive {
		return
	}
	holds := map[string]Holding{}
	var mu sync.Mutex
	t.Run("rows", func(t *testing.T) {
		for _, row := range Rows {
			t.Run(row.Name, func(t *testing.T) {
				t.Parallel()
				h := derived(t, row)
				mu.Lock()
				defer mu.Unlock()
				if len(h) > 0 {
					holds[row.Name] = h
				}
			})
		}
	})
	if err := os.WriteFile("holds.txt", []byte(writeHolds(holds)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// derived looks, where the row fails in a profile, for the points that each alone
// make it fail, and for their values that do not.
func derived(t *testing.T, row Row) Holding {
	row.Name += " " // holds.txt as it is says nothing of it
	h := Holding{}
	for _, profile := range openpoint.Profiles {
		points := pointsOf(t, profile)
		if held, _ := row.Holds(points); !held || keeps(t, row, "profile:"+profile, points) {
			continue
		}
		for _, p := range openpoint.Table() {
			value, known := points[string(p.Name)]
			if _, done := h[string(p.Name)]; done || !known || value == p.Default || keepsAt(t, row, p.Name, value) {
				continue
			}
			h[string(p.Name)] = slices.DeleteFunc(slices.Clone(p.Values), func(v string) bool {
				return v == value || !keepsAt(t, row, p.Name, v)
			})
		}
	}
	return h
}

func keepsAt(t *testing.T, row Row, name openpoint.Name, value string) bool {
	return keeps(t, row, string(name)+"="+value, map[string]string{string(name): value})
}

func keeps(t *testing.T, row Row, set string, points map[string]string) bool {
	problems, err := start(t, row, set, points).Run(t.Context(), row)
	return len(problems) == 0 && err == nil
}

func pointsOf(t *testing.T, profile string) map[string]string {
	values, err := openpoint.Profile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range timed {
		delete(values, name)
	}
	points := map[string]string{}
	for name, value := range maps.All(values) {
		points[string(name)] = value
	}
	return points
}
