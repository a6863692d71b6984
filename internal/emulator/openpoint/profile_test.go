package openpoint

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/testing/golden"
)

// TestEveryProfileNamesEveryPoint: a point that is new has to be thought of in each
// profile, and the hostile one has to say why its value is the least convenient.
func TestEveryProfileNamesEveryPoint(t *testing.T) {
	for _, name := range Profiles {
		p, err := readProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range table {
			c, ok := p.choices[point.Name]
			if !ok {
				t.Errorf("profiles/%s.txt has no line %s = …; want a value, or inherited", name, point.Name)
				continue
			}
			if c.value != inherited && c.why == "" {
				t.Errorf("profiles/%s.txt: %s = %s says no reason; want one after #", name, point.Name, c.value)
			}
			if c.value == inherited && name == Hostile {
				t.Errorf("profiles/%s.txt: %s is inherited; want the least convenient value, and why", name, point.Name)
			}
			delete(p.choices, point.Name)
		}
		for left := range p.choices {
			t.Errorf("profiles/%s.txt has a line for %s, which is no point", name, left)
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, row := range []struct {
		list string
		name Name
		want string
	}{
		{"profile:published", ListAds, "by_ad_group"},
		{"profile:published", GeoLookup, "served"},
		{"profile:interface", ListAds, Absent},
		{"profile:interface", ListAdGroups, "account"},
		{"profile:interface", ErrorBody, "nested"},
		{"profile:hostile", ErrorBody, "html"},
		{"profile:hostile,error_body=flat", ErrorBody, "flat"},
		{"error_body=flat,profile:hostile", ErrorBody, "html"},
		{"", ListAds, "account"},
	} {
		s, err := Parse(row.list)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Of(row.name); got != row.want {
			t.Errorf("Parse(%q): %s = %q, want %q", row.list, row.name, got, row.want)
		}
	}
	if _, err := Parse("profile:friendly"); err == nil ||
		!strings.Contains(err.Error(), "interface, published, hostile") {
		t.Errorf("Parse(profile:friendly): %v; want the names of the profiles", err)
	}
}

// TestGolden: docs/develop/open-points.md is what the table and the profiles say; -update
// writes it.
func TestGolden(t *testing.T) {
	golden.File(t, "../../../docs/develop/open-points.md", []byte(document(t)))
}

func document(t *testing.T) string {
	hostile, err := readProfile(Hostile)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(documentTop)
	for _, p := range table {
		in := p.Profiles()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", p.Name, p.Meaning,
			strings.Join(p.Values, ", "), in[Interface], in[Published], in[Hostile], hostile.choices[p.Name].why)
	}
	return b.String()
}

const documentTop = `# Open points and profiles

Where the interface is silent, or says something else than what is published, the emulator can behave in several ways:
each is an open point. A profile is a value for every point:

- ` + "`interface`" + ` is the interface to the letter: what it does not list is not there.
- ` + "`published`" + ` adds what is published beyond it. ` + "`adsync emulator` and `service: emulator`" + ` take it unless told otherwise.
- ` + "`hostile`" + ` takes the least convenient value everywhere, and says why it is that.

` + "`adsync emulator --profile hostile --open-points key_ttl=1h`" + ` chooses; what comes later wins. For ` + "`service: emulator`" + ` the
environment does: ` + "`ADSYNC_OPEN_POINTS=profile:hostile,key_ttl=1h`" + `. ` + "`GET /_emulator/open_points`" + ` shows what is taken. The
profiles are files in ` + "`internal/emulator/openpoint/profiles`" + `. ` + "`make profiles`" + ` runs every row of the service's tests and
every script of adsync in all three. This page is written by a test with -update.

| point | what it decides | values | interface | published | hostile | why |
|---|---|---|---|---|---|---|
`
