package arch

import (
	"strings"
	"testing"
)

// testOnly is the folder of what only tests use.
const testOnly = "internal/testing/"

// TestTheProgramImportsNothingOfTesting holds the program, the emulator included, to
// code that users run.
func TestTheProgramImportsNothingOfTesting(t *testing.T) {
	for _, s := range program(t) {
		if strings.HasPrefix(s.dir, testOnly) {
			continue
		}
		for name, spec := range s.imports() {
			if inner, ours := strings.CutPrefix(name, module); ours && strings.HasPrefix(inner, testOnly) {
				t.Errorf("%s: %s imports %s; want only tests to", s.at(spec), s.dir, inner)
			}
		}
	}
}

// TestWhatOnlyTestsUseIsInTesting wants every other package to be part of the
// command: imported by it, or by what it imports.
func TestWhatOnlyTestsUseIsInTesting(t *testing.T) {
	imported := map[string][]string{}
	for _, s := range program(t) {
		of := imported[s.dir]
		for name := range s.imports() {
			if inner, ours := strings.CutPrefix(name, module); ours {
				of = append(of, inner)
			}
		}
		imported[s.dir] = of
	}
	reached := map[string]bool{}
	for next := []string{"cmd/adsync"}; len(next) > 0; next = next[1:] {
		if !reached[next[0]] {
			reached[next[0]] = true
			next = append(next, imported[next[0]]...)
		}
	}
	for dir := range imported {
		if !reached[dir] && dir != "internal/arch" && !strings.HasPrefix(dir, testOnly) &&
			!strings.HasPrefix(dir, "internal/tools/") {
			t.Errorf("%s is imported by tests alone; want it in %s", dir, testOnly)
		}
	}
}
