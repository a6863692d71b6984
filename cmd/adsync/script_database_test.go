package main

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/testing/pgtest"

	"github.com/rogpeppe/go-internal/testscript"
)

var everyScriptInDatabase = flag.Bool("in-database", false, "run every script that can with its states in a database")

// someInDatabase are the scripts that are run with their states in a database each time.
var someInDatabase = []string{
	"accidents", "consent", "draft-kept", "drift", "explain", "former", "main-job", "moved", "review",
}

// folderAlone are the scripts that cannot be run so, and why. Those of state-… say themselves where the state lies.
var folderAlone = map[string]string{
	"adopt": severalProjects, "audience": severalProjects, "audience-bids": severalProjects, "daemon": severalProjects,
	"draft":   stateFiles,
	"history": stateFiles, "history-auditors": stateFiles, "git-committed": stateFiles, "forget": severalProjects,
	"import": severalProjects, "interrupt": severalProjects, "pause-all": severalProjects, "plan-forms": stateFiles,
	"preview": withoutID, "public": withoutID, "revert": severalProjects, "rules": withoutID, "saved-plan": stateFiles,
	"serving-issues": severalProjects, "doctor": stateFiles,
	"stop": stateFiles, "suspend": stateFiles, "takes-over": severalProjects,
	"usage": withoutID, "whole-json": severalProjects, "write-back": severalProjects, "named": stateFiles,
	"jobs":                 folder,
	"audience-interrupted": killed, "conversions-killed": killed, "history-killed": killed, "killed-between": killed,
	"locked": killed, "resolve": killed, "resume": killed,
}

const (
	severalProjects = "several projects of one account have each a state of their own"
	stateFiles      = "it looks at the files of a state"
	withoutID       = "its files say no account"
	folder          = "it says what is otherwise without a database"
	killed          = "it kills a process, which a database waits 30 s for"
)

// TestScriptsInADatabase runs what a user types with states in a database: nothing is otherwise.
func TestScriptsInADatabase(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scriptsDir, "*.txtar"))
	noError(t, err)
	nameOf := func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }
	for name := range folderAlone {
		if !slices.ContainsFunc(files, func(file string) bool { return nameOf(file) == name }) {
			t.Errorf("there is no script %s; want it out of folderAlone", name)
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		_, alone := folderAlone[nameOf(file)]
		return alone || strings.HasPrefix(nameOf(file), "state-") ||
			!*everyScriptInDatabase && !slices.Contains(someInDatabase, nameOf(file))
	})
	if len(files) < len(someInDatabase) {
		t.Errorf("%d scripts are run; want %d at least", len(files), len(someInDatabase))
	}
	inDatabase := func(e *testscript.Env) error {
		e.Setenv("ADSYNC_DATABASE", pgtest.Database(t))
		return nil
	}
	runScripts(t, openpoint.Published, newWatch(t), testscript.Params{Files: files, Setup: inDatabase})
}
