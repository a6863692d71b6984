package openpoint

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The profiles: each is a file of the value of every point.
const (
	Interface = "interface" // service-interface.md to the letter
	Published = "published" // with what is published beyond it
	Hostile   = "hostile"   // the least convenient value everywhere
)

// Profiles are the names of the profiles.
var Profiles = []string{Interface, Published, Hostile}

//go:embed profiles/*.txt
var profiles embed.FS

// choice is a line of a profile: the value of a point, and why.
type choice struct {
	value string // inherited: that of the profile it inherits
	why   string
}

const inherited = "inherited"

// profile is a file as it is written.
type profile struct {
	inherits string // a profile; "" are the defaults of the table
	choices  map[Name]choice
}

// Profiles are the values of the point in each profile.
func (p Point) Profiles() map[string]string {
	values := map[string]string{}
	for _, name := range Profiles {
		values[name] = profileValues()[name][p.Name]
	}
	return values
}

// profileValues are the values of all profiles. The files are part of the program:
// one that cannot be read is a mistake of the programmer and panics.
var profileValues = sync.OnceValue(func() map[string]map[Name]string {
	all := map[string]map[Name]string{}
	for _, name := range Profiles {
		values, err := readValues(name)
		if err != nil {
			panic(err)
		}
		all[name] = values
	}
	return all
})

// Profile is the value of every point in a profile.
func Profile(name string) (map[Name]string, error) {
	if !slices.Contains(Profiles, name) {
		return nil, fmt.Errorf("open points: profile is %q; want one of %s", name, strings.Join(Profiles, ", "))
	}
	return maps.Clone(profileValues()[name]), nil
}

func readValues(name string) (map[Name]string, error) {
	p, err := readProfile(name)
	if err != nil {
		return nil, err
	}
	values := Defaults().Chosen()
	if p.inherits != "" {
		if values, err = readValues(p.inherits); err != nil {
			return nil, err
		}
	}
	for point, c := range p.choices {
		if c.value == inherited {
			continue
		}
		if err := check(point, c.value); err != nil {
			return nil, fmt.Errorf("profiles/%s.txt: %w", name, err)
		}
		values[point] = c.value
	}
	return values, nil
}

// readProfile reads lines such as "name = value  # why"; "inherits PROFILE" says
// whose value a point has that is said to be inherited.
func readProfile(name string) (p profile, err error) {
	text, err := profiles.ReadFile("profiles/" + name + ".txt")
	if err != nil {
		return p, err
	}
	p.choices = map[Name]choice{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if err := p.readLine(line); err != nil {
			return p, fmt.Errorf("profiles/%s.txt:%d: %w", name, n, err)
		}
	}
	return p, nil
}

func (p *profile) readLine(line string) error {
	said, why, _ := strings.Cut(line, "#")
	said, why = strings.TrimSpace(said), strings.TrimSpace(why)
	if said == "" {
		return nil
	}
	if parent, ok := strings.CutPrefix(said, "inherits "); ok {
		p.inherits = strings.TrimSpace(parent)
		return nil
	}
	point, value, ok := strings.Cut(said, "=")
	if !ok {
		return fmt.Errorf("%q; want name = value  # why", said)
	}
	at := Name(strings.TrimSpace(point))
	if _, twice := p.choices[at]; twice {
		return fmt.Errorf("%s has two lines; want one", at)
	}
	p.choices[at] = choice{strings.TrimSpace(value), why}
	return nil
}
