package main

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"adsync/internal/testing/bench"
)

var (
	peerTerraform = flag.String("peer-terraform", "", "a Terraform for TestPeers to hold adsync against")
	peerDecK      = flag.String("peer-deck", "", "a decK, likewise")
)

// TestPeers takes the same work from adsync and from what users would pick instead,
// one after the other in each round, and prints what each took (make peers).
func TestPeers(t *testing.T) {
	if *peerTerraform == "" && *peerDecK == "" {
		return // make peers measures
	}
	spent := filepath.Join(t.TempDir(), "spent")
	if said, err := exec.Command("go", "build", "-o",
		spent, "adsync/internal/testing/bench/spent").CombinedOutput(); err != nil {
		t.Fatalf("build what measures: %v\n%s", err, said)
	}
	shape, dir := bench.Trees(15_000), t.TempDir()
	ours, theirs, kong := filepath.Join(dir, "adsync"), filepath.Join(dir, "terraform"), filepath.Join(dir, "kong.yaml")
	_, err := shape.WriteYAML(ours, campaignsOfAFile)
	noError(t, err)
	noError(t, shape.WriteTerraform(theirs, campaignsOfAFile))
	noError(t, shape.WriteDecK(kong))
	s := startMeasured(t, shape.Resources())
	rows := map[string]cost{}
	run := func(name string, environment []string, program string, args ...string) {
		t.Helper()
		rows[name] = rows[name].least(measured(t, environment, spent, program, args...))
	}
	alone := []string{"CHECKPOINT_DISABLE=1", "DECK_ANALYTICS=off"}
	if *peerTerraform != "" {
		run("terraform init", alone, *peerTerraform, "-chdir="+theirs, "init")
	}
	for range *measureRounds {
		run("adsync validate", benchEnvironment(), *measureBinary, "validate", ours)
		if *peerDecK != "" {
			run("deck file validate", alone, *peerDecK, "file", "validate", kong)
		}
		if *peerTerraform != "" {
			run("terraform validate", alone, *peerTerraform, "-chdir="+theirs, "validate")
		}
	}
	if *peerTerraform != "" {
		run("adsync apply", s.environment(), *measureBinary, "apply", "--yes", ours)
		for range *measureRounds {
			// fails where anything is to be done
			run("adsync plan", s.environment(), *measureBinary, "plan", "--detailed-exitcode", ours)
			run("terraform plan", alone, *peerTerraform, "-chdir="+theirs, "plan", "-detailed-exitcode")
		}
	}
	fmt.Print("\n| command | processor | clock | peak | processor ÷ ours | clock ÷ ours |\n|---|---|---|---|---|---|\n")
	for _, row := range []struct{ name, ours string }{{"adsync validate", ""},
		{"deck file validate", "adsync validate"},
		{"terraform validate", "adsync validate"}, {"adsync plan", ""}, {"terraform plan", "adsync plan"}} {
		took, done := rows[row.name]
		if !done {
			continue
		}
		ratios := " | "
		if own := rows[row.ours]; row.ours != "" {
			ratios = fmt.Sprintf("%.1f | %.1f", took.CPU.Seconds()/own.CPU.Seconds(),
				took.Clock.Seconds()/own.Clock.Seconds())
		}
		fmt.Printf("| %s | %s | %s | %d MiB | %s |\n",
			row.name, milliseconds(took.CPU), milliseconds(took.Clock), took.Peak>>20, ratios)
	}
}
