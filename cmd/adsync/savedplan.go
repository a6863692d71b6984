package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/google/renameio/v2"
)

// planLife is how long a saved plan may wait (design.md section 6).
const planLife = 30 * time.Minute

// savedPlan is what a plan was computed from and what it said. Applying it
// computes the plan again and compares: nothing in the file is believed.
type savedPlan struct {
	FormatVersion int             `json:"format_version"`
	Account       accountDocument `json:"account"`
	Lineage       string          `json:"lineage"`
	InputHash     string          `json:"input_hash"`
	PlanHash      string          `json:"plan_hash"`
	SavedAt       time.Time       `json:"saved_at"`
	Allow         []string        `json:"allow"`
	Plan          plan.Document   `json:"plan"`
}

func savePlan(file string, l loaded, allow []string, agent *reconcile.Agent, p *plan.Plan) error {
	content, err := json.MarshalIndent(savedPlan{
		FormatVersion: formatVersion, Account: accountOf(agent.Account), Lineage: agent.Store.Header().Lineage,
		InputHash: l.desired.Hash, PlanHash: p.Hash(), SavedAt: agent.Now().UTC(), Allow: append([]string{}, allow...), Plan: p.Document(),
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(file, append(content, '\n'), 0o600); err != nil {
		return configuration("--out: %v", err)
	}
	return nil
}

// stalePlan is the error of a saved plan that is not what would be done now.
func stalePlan(format string, args ...any) error {
	return &exit{exitStale, "plan is stale: " + fmt.Sprintf(format, args...) + "; plan again (ADS3004)"}
}

// savedHead is what is read of a saved plan: its bodies are only for people.
type savedHead struct {
	FormatVersion int       `json:"format_version"`
	InputHash     string    `json:"input_hash"`
	PlanHash      string    `json:"plan_hash"`
	SavedAt       time.Time `json:"saved_at"`
	Allow         []string  `json:"allow"`
}

func readSaved(file string) (savedHead, error) {
	var saved savedHead
	content, err := os.ReadFile(file)
	if err != nil {
		return saved, configuration("--plan: %v", err)
	}
	if err := json.Unmarshal(content, &saved); err != nil || saved.FormatVersion != formatVersion || saved.PlanHash == "" {
		return saved, configuration("--plan: %s is not a plan this adsync saved", file)
	}
	return saved, nil
}

// fits says whether a saved plan is what a plan of now says. Its allowances are
// not believed either: whoever applies it gives them again.
func (s savedHead) fits(l loaded, p *plan.Plan, allow []string, now time.Time) error {
	switch {
	case now.Sub(s.SavedAt) > planLife || s.SavedAt.After(now.Add(planLife)):
		return stalePlan("it was saved at %s and lives %s", s.SavedAt.Format(time.RFC3339), planLife)
	case s.InputHash != l.desired.Hash:
		return stalePlan("the files have changed since")
	case s.PlanHash != p.Hash() && !slices.Equal(sorted(s.Allow), sorted(allow)):
		return stalePlan("it was saved with other allowances; give them again: %s", flagsOf(s.Allow))
	case s.PlanHash != p.Hash():
		return stalePlan("the account or adsync's record has changed since")
	}
	return nil
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

func flagsOf(allow []string) string {
	if len(allow) == 0 {
		return "none"
	}
	return diag.Printable("--allow " + strings.Join(allow, " --allow "))
}
