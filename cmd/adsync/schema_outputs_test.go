package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/cmd/adsync/internal/files"
	"adsync/cmd/adsync/internal/session"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
)

// TestEveryJSONHasASchema wants each command that prints JSON, or lines of it, in one row of files.Described,
// and holds the documents of its examples to the schema of the row. A command without an example that
// can be run has its document held by "whole FILE SCHEMA" in a script.
func TestEveryJSONHasASchema(t *testing.T) {
	t.Parallel()
	tree := root(&session.Env{})
	rows := map[string]files.Description{} // by command and form
	for _, d := range files.Described {
		if d.Form != "" {
			refusesAll(t, d.Name)
		}
		for _, by := range d.By {
			key := "adsync " + by + " " + d.Form
			if _, twice := rows[key]; twice {
				t.Errorf("%s has two schemas", key)
			}
			rows[key] = d
		}
	}
	for _, key := range printing(tree) {
		if _, has := rows[key]; !has {
			t.Errorf("%s has no schema; want a row in files.Described", key)
		}
	}
	applied := appliedShop(t)
	var held sync.Map
	t.Run("examples", func(t *testing.T) {
		for _, e := range everyExample(t, tree) {
			for _, form := range []string{"-o json", "-o ndjson", "--to json"} {
				line := e.as(form)
				key := e.of.CommandPath() + " " + form
				if strings.Contains(line, "--plan-only") { // which prints another document
					key = e.of.CommandPath() + " --plan-only " + form
				}
				d, has := rows[key]
				if !has || line == "" {
					continue
				}
				t.Run(line, func(t *testing.T) {
					t.Parallel()
					text := example{e.of, line, e.before}.run(t, copyOf(t, applied))
					if err := unfit(d, text); err != nil {
						t.Error(err)
					}
					if text != "" {
						held.Store(key, true)
					}
				})
			}
		}
	})
	names, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for key, d := range rows {
		command := strings.TrimSuffix(key, d.Form)
		shown := regexp.MustCompile(`(?m)^(?:exec|exits \d+) .*` + command + `.*` + d.Form +
			` .*\ncp stdout \S+\nwhole \S+ ` + d.Name + `$`)
		if _, done := held.Load(key); !done && !shown.MatchString(scripts.String()) {
			t.Errorf("no output of %s is held to its schema; want an example that runs, or in a script: whole FILE %s",
				key, d.Name)
		}
	}
}

// printing returns the commands that print JSON, each with the form.
func printing(c *cobra.Command) (all []string) {
	for _, sub := range c.Commands() {
		all = append(all, printing(sub)...)
	}
	for _, flag := range []string{"output", "to"} {
		f := c.Flags().Lookup(flag)
		if f == nil {
			continue
		}
		for _, form := range regexp.MustCompile(`\b(?:nd)?json\b`).FindAllString(f.Usage, -1) {
			short := map[string]string{"output": "-o ", "to": "--to "}[flag]
			all = append(all, c.CommandPath()+" "+short+form)
		}
	}
	return all
}

var outputFlag = regexp.MustCompile(` -o (\w+)`)

// as returns the example with another form of output, "" where it does not go.
func (e example) as(form string) string {
	given := outputFlag.FindStringSubmatch(e.line)
	_, elsewhere := shownByScript[e.line]
	switch {
	case elsewhere || slices.Contains(endless, e.line) || given != nil && !strings.HasSuffix(given[1], "json"):
		return ""
	case form == "--to json":
		return map[bool]string{true: e.line}[strings.Contains(e.line, form)]
	}
	return outputFlag.ReplaceAllString(e.line, "") + " " + form
}

// unfit returns why an output does not fit the schema of a row, or nil.
func unfit(d files.Description, text string) error {
	schema, err := schemaOf(d.Name)
	if err != nil {
		return err
	}
	documents := []string{text}
	if d.Form == "-o ndjson" {
		documents = slices.Collect(strings.Lines(text))
	}
	for _, text := range documents {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		if err := schema.Validate(document); err != nil {
			return err
		}
	}
	return nil
}

// refusesAll wants a schema that not everything fits.
func refusesAll(t *testing.T, name string) {
	t.Helper()
	schema := compiled(t, name)
	for _, wrong := range []any{map[string]any{}, []any{}, "", nil} {
		if schema.Validate(wrong) == nil {
			t.Errorf("%v fits the schema %s", wrong, name)
		}
	}
}
