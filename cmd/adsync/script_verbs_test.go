package main

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/direct"
)

// Each verb of the closed table is in a script that has it done, refused before it is sent, and unknown:
// the words that the history has for these. Login and logout change no account and are in one too.
func TestEachDirectVerbHasAScript(t *testing.T) {
	scripts := map[string]string{}
	names, err := fs.Glob(os.DirFS("testdata/script"), "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile("testdata/script/" + name)
		if err != nil {
			t.Fatal(err)
		}
		scripts[name] = string(text)
	}
	// run finds the commands of a verb that end as wanted.
	run := func(verb, starts string) (in []string) {
		words := strings.ReplaceAll(regexp.QuoteMeta(verb), "conversions key create", `conversions key`)
		wanted := regexp.MustCompile(`(?m)^(?:` + starts + `) (?:sh -c ')?adsync (?:--operator \S+ )?` + words + ` `)
		for name, text := range scripts {
			if wanted.MatchString(text) {
				in = append(in, name)
			}
		}
		slices.Sort(in)
		return in
	}
	verbs := []string{"login", "logout"}
	for _, v := range direct.Verbs() {
		verbs = append(verbs, v.Name)
		for what, starts := range map[string]string{
			"a refusal before it is sent": `exits [34568]`, "an end that is unknown": `exits 9`,
		} {
			if len(run(v.Name, starts)) == 0 {
				t.Errorf("no script has %s of adsync %s; want one", what, v.Name)
			}
		}
	}
	for _, verb := range verbs {
		if len(run(verb, "exec")) == 0 {
			t.Errorf("no script runs adsync %s to its end; want one", verb)
		}
	}
}
