package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"
)

// A picture that was exchanged after the plan was shown is not uploaded.
func TestImageChangedSinceThePlan(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "hero.png")
	if err := os.WriteFile(name, []byte("planned"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("planned"))
	source := "sha256:" + hex.EncodeToString(sum[:])
	read := imageReader(loaded{
		project: sources.Project{Root: dir}, desired: sources.Desired{Images: map[string]string{source: "hero.png"}},
	})
	if _, content, err := read(source); err != nil || string(content) != "planned" {
		t.Fatalf("image is %q, %v; want the planned one", content, err)
	}
	if err := os.WriteFile(name, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, content, err := read(source); err == nil || !strings.Contains(err.Error(), "hero.png has changed") {
		t.Errorf("image is %q, %v; want the change named", content, err)
	}
}

// Only yes goes on; an interrupt at the question is an answer.
func TestConfirmed(t *testing.T) {
	for answer, code := range map[string]int{
		"yes\n": 0, " YES \n": 0, "y\n": exitRefused,
		"no\n": exitRefused, "\n": exitRefused, "": exitInterrupted, "yes": 0,
	} {
		if got := codeOf(t, confirmed(t.Context(), strings.NewReader(answer))); got != code {
			t.Errorf("%q: code %d; want %d", answer, got, code)
		}
	}
	waiting, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := codeOf(t, confirmed(ctx, waiting)); got != exitInterrupted {
		t.Errorf("interrupted: code %d; want %d", got, exitInterrupted)
	}
}

// What earlier runs left unknown is no success, whatever became of the rest.
func TestVerdictNamesWhatIsUndecided(t *testing.T) {
	open := reconcile.Undecided{Operation: state.Operation{Address: resource.Address{Kind: "pixel", Key: "shop"}}}
	for name, r := range map[string]*reconcile.Report{
		"nothing to do": {Undecided: []reconcile.Undecided{open}},
		"all of it applied": {Undecided: []reconcile.Undecided{open},
			Outcomes: []reconcile.Outcome{{Outcome: state.OutcomeApplied}}},
		"some of it refused": {Undecided: []reconcile.Undecided{open},
			Outcomes: []reconcile.Outcome{{Outcome: state.OutcomeFailed}}},
	} {
		err := verdict(r, nil)
		if codeOfExit(err) != exitUnknown || !strings.Contains(err.Error(), "adsync resolve pixel/shop") {
			t.Errorf("%s: %v; want code %d and the command that decides it", name, err, exitUnknown)
		}
	}
	if err := verdict(&reconcile.Report{}, nil); err != nil {
		t.Errorf("nothing undecided: %v; want none", err)
	}
}

func codeOf(t *testing.T, err error) int {
	t.Helper()
	var known *exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &known):
		return known.code
	}
	t.Fatalf("error %v has no code", err)
	return 0
}
