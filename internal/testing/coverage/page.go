package coverage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/kinds"
)

// attributeOf returns the attribute of a kind that a field of a body carries, or "".
func attributeOf(endpoint, field string) string {
	_, path, _ := strings.Cut(endpoint, " /")
	for _, schema := range kinds.All() {
		if path != schema.Collection && !strings.HasPrefix(path, schema.Collection+"/{") {
			continue
		}
		for _, a := range schema.Attributes {
			if within(field, a.Wire.Path) {
				return a.Name
			}
		}
	}
	return ""
}

// within reports whether a field is that of a path, or lies in it.
func within(field, path string) bool {
	return path != "" && (field == path || strings.HasPrefix(field, path+"."))
}

// Page returns docs/develop/coverage.md: a row for each input.
func Page(inputs map[string][]string, shown map[Input]string) []byte {
	var page strings.Builder
	fmt.Fprintf(&page, head, len(inputs), count(inputs))
	for _, endpoint := range slices.Sorted(maps.Keys(inputs)) {
		for _, name := range inputs[endpoint] {
			in := Input{endpoint, name}
			what := "**`" + endpoint + "`**"
			if name != "" {
				what = "`" + name + "`"
			}
			how, why := by(in, shown[in] != "")
			show := "`" + shown[in] + "`"
			switch {
			case instead[row(in)] != Input{}:
				how, show = "never sent: "+why, "`"+shown[instead[row(in)]]+"`"
			case why != "":
				how, show = "never sent: "+why, "–"
			case elsewhere[in.Name] != "":
				show = "`" + elsewhere[in.Name] + "`"
			}
			fmt.Fprintf(&page, "| %s | %s | %s |\n", what, how, show)
		}
	}
	return []byte(page.String())
}

const head = `# What of the service a user reaches

%d endpoints, %d rows. A row is an endpoint, or what a request of it may carry: a parameter, a header, a field of
the body. It says by which command, attribute or kind a user reaches it, or what adsync sends in its place, and which
script of ` + "`cmd/adsync/testdata/script`" + ` makes adsync send that; a test holds that the script does. Endpoints and
parameters are those of the emulator. ` + "`make coverage`" + ` writes this page.

| what | reached by | shown by |
|---|---|---|
`

func count(inputs map[string][]string) int {
	n := 0
	for _, names := range inputs {
		n += len(names)
	}
	return n
}
