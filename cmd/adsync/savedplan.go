package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
)

// savedPlan is what a plan was computed from and what it said. Applying it
// computes the plan again; what the file says only narrows that.
type savedPlan struct {
	Account    accountDocument `json:"account"`
	Lineage    string          `json:"lineage"` // of the state; "" where there was none yet
	Revision   *revision       `json:"revision,omitempty"`
	InputHash  string          `json:"input_hash"`
	PolicyHash string          `json:"policy_hash"`
	PlanHash   string          `json:"plan_hash"`
	SavedAt    time.Time       `json:"saved_at"`
	ValidUntil time.Time       `json:"valid_until"`
	Allow      []string        `json:"allow"`
	Plan       json.RawMessage `json:"plan"` // plan.Document
}

// savePlan writes a plan for apply, readable by its owner alone.
func (a *app) savePlan(file string, l loaded, f planFlags,
	agent *reconcile.Agent, desired reconcile.Desired, view *reconcile.View) error {
	out, err := outputFile(l, "--out", file, f.force)
	if err == nil {
		err = out.free()
	}
	if err != nil {
		return err
	}
	key, err := a.sealKey(l.project, true)
	if err != nil {
		return err
	}
	document, err := view.Plan.MarshalJSON()
	if err != nil {
		return err
	}
	now := agent.Now().UTC().Truncate(time.Second)
	content, err := seal(key, savedPlan{
		Account: accountOf(agent.Account), Lineage: agent.Store.Header().Lineage, Revision: a.revisionOf(l),
		InputHash: l.desired.Hash, PolicyHash: hashOf(desired.Policy), PlanHash: view.Hash(),
		SavedAt: now, ValidUntil: now.Add(a.planLife(l.project)), Allow: append([]string{}, f.allow...), Plan: document,
	})
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(file, content, 0o600); err != nil {
		return configuration("--out: %v", err)
	}
	return nil
}

// savedArguments takes a saved plan and a folder, in any order. A file that is
// no YAML is a saved plan.
func savedArguments(c *cobra.Command, args []string) (dir, saved string, err error) {
	var folders []string
	for _, arg := range args {
		about, err := os.Stat(arg)
		if errors.Is(err, fs.ErrNotExist) && len(args) > 1 {
			return "", "", configuration("%s is not there; want a saved plan and a folder", diag.Printable(arg))
		}
		extension := strings.ToLower(filepath.Ext(arg))
		if err == nil && about.Mode().IsRegular() && extension != ".yaml" && extension != ".yml" {
			if saved != "" {
				return "", "", usage(c, fmt.Errorf("%s and %s are both files; want one saved plan at most", saved, arg))
			}
			saved = arg
			continue
		}
		folders = append(folders, arg)
	}
	dir, err = folder(c, folders)
	return dir, saved, err
}

// openSaved reads the saved plan that apply was given, nil where it was given none.
func (a *app) openSaved(l loaded, file string, now time.Time) (*savedPlan, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, configuration("%v", err)
	}
	key, err := a.sealKey(l.project, false)
	if err != nil {
		return nil, err
	}
	saved, err := unseal(key, content)
	if err != nil {
		return nil, err
	}
	if l.project.Account.ID != "" && l.project.Account.ID != saved.Account.ID {
		return nil, stalePlan("it is of account %s, and the files are of %s",
			diag.Printable(saved.Account.ID), diag.Printable(l.project.Account.ID))
	}
	return saved, saved.inTime(now, a.planLife(l.project))
}

// clockSkew is how far the clock of who saved a plan may be ahead.
const clockSkew = 2 * time.Minute

// inTime holds a saved plan to the shorter of the life it was saved with and
// the life of now.
func (s *savedPlan) inTime(now time.Time, life time.Duration) error {
	ends := s.SavedAt.Add(life)
	if s.ValidUntil.Before(ends) {
		ends = s.ValidUntil
	}
	switch {
	case now.After(ends):
		return stalePlan("it was saved at %s and was valid until %s",
			s.SavedAt.Format(time.RFC3339), ends.Format(time.RFC3339))
	case s.SavedAt.After(now.Add(clockSkew)):
		return stalePlan("it was saved at %s, which is still to come; look at both clocks",
			s.SavedAt.Format(time.RFC3339))
	}
	return nil
}

// stalePlan is the error of a saved plan of which nothing may be applied.
func stalePlan(format string, args ...any) error {
	return exitWith(exitStale, "plan is stale: "+fmt.Sprintf(format, args...)+
		"; nothing was changed; plan again ("+string(diag.StalePlan)+")")
}

// narrow has the plan of now go no further than the saved one.
func (s *savedPlan) narrow(desired *reconcile.Desired) (err error) {
	if s == nil {
		return nil
	}
	desired.Agreed, err = plan.ReadAgreement(s.Plan)
	return err
}

// compare says what the saved plan was computed from and is not any more. The
// state it was computed with must be the state it is applied with.
func (a *app) compare(s *savedPlan, l loaded, agent *reconcile.Agent, desired reconcile.Desired) error {
	if s == nil {
		return nil
	}
	if lineage := agent.Store.Header().Lineage; s.Lineage != "" && s.Lineage != lineage {
		return stalePlan("it was saved with the state of lineage %s, and this one is %s", s.Lineage, lineage)
	}
	var moved []string
	for _, of := range []struct {
		what  string
		moved bool
	}{{"the files", s.InputHash != l.desired.Hash}, {"the policy", s.PolicyHash != hashOf(desired.Policy)},
		{"the allowances", !slices.Equal(sorted(s.Allow), sorted(allowances(desired)))}} {
		if of.moved {
			moved = append(moved, of.what)
		}
	}
	if len(moved) > 0 {
		a.note("changed since the plan was saved at %s: %s; what is as it was goes on",
			s.SavedAt.Format(time.RFC3339), strings.Join(moved, ", "))
	}
	return nil
}

func allowances(desired reconcile.Desired) []string {
	var texts []string
	for _, a := range desired.Allow {
		texts = append(texts, a.String())
	}
	return texts
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// strictly refuses all of a saved plan of which a part moved.
func strictly(p *plan.Plan) error {
	if len(p.Stale) == 0 {
		return nil
	}
	return stalePlan("--strict, and %s since it was saved", moves(len(p.Stale)))
}

func moves(n int) string {
	if n == 1 {
		return "1 thing moved"
	}
	return fmt.Sprintf("%d things moved", n)
}

func flagsOf(allow []string) string {
	return diag.Printable("--allow " + strings.Join(allow, " --allow "))
}

// compact is JSON without the space that editors and tools add.
func compact(content []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, content)
	return b.Bytes(), err
}
