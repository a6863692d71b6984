package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// auditFlags say which entries audit shows.
type auditFlags struct {
	since string
	actor string
	most  int
}

// Audit returns the command adsync audit.
func Audit(env *session.Env) *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit [FOLDER] [ADDRESS]",
		Short: "Show the service's own log: who changed what, and when",
		Long: `Show the service's audit log, newest first: when, who, what was done to which
resource, and the values before and after. It has everybody's changes, adsync's too.
An address narrows it to that resource and what is beneath it. Nothing is changed.`,
		Example: `  adsync audit --since 7d
  adsync audit campaign/spring-launch`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, picks, err := session.Addressed(c, args)
			switch {
			case err != nil:
				return err
			case len(picks) > 1:
				return console.Usage(c, fmt.Errorf("%d addresses; want one at most", len(picks)))
			case f.most < 1 || f.most > mostAudit:
				return console.Usage(c, fmt.Errorf("--most is %d; want 1 to %d", f.most, mostAudit))
			}
			q := reconcile.AuditQuery{Actor: f.actor, Most: f.most}
			if len(picks) == 1 {
				q.Address = picks[0].Address
			}
			if q.Since, err = sinceOf(f.since, time.Now()); err != nil {
				return console.Usage(c, err)
			}
			return runAudit(c.Context(), env, dir, q)
		},
	}
	c.Flags().StringVar(&f.since, "since", "", "only what was done since a day (2026-11-01) or for so long (36h, 7d)")
	c.Flags().StringVar(&f.actor, "actor", "", "only what this one did, by the id the log has")
	c.Flags().IntVar(&f.most, "most", 50, "how many entries at the most, the newest")
	env.Outputs(c, "text", "json")
	return c
}

// mostAudit bounds what one command asks the log for.
const mostAudit = 10_000

// AuditDocument is the JSON form of audit.
type AuditDocument struct {
	FormatVersion int                    `json:"format_version"`
	Entries       []reconcile.AuditEntry `json:"entries"`
	More          bool                   `json:"more"`
}

func runAudit(ctx context.Context, env *session.Env, dir string, q reconcile.AuditQuery) error {
	project, problems := session.ReadProject(env, dir)
	l := session.Loaded{Project: project, Schemas: session.Schemas()}
	if err := session.Invalid(env, l, problems); err != nil {
		return err
	}
	if session.UsesLogin(env, l.Project) {
		return console.ExitWith(console.ExitPermission,
			"the audit log takes an API key; a login may not read it: set "+session.EnvKeyFile)
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	entries, more, err := s.Agent.AuditLog(ctx, q)
	env.ClearLine()
	if unknown, is := errors.AsType[*reconcile.UnknownAddressError](err); is {
		return console.Configuration("%v", unknown)
	}
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(AuditDocument{console.FormatVersion, append([]reconcile.AuditEntry{}, entries...), more})
	}
	for i := range entries {
		if err := printAudit(env, &entries[i], s.Agent.Zone); err != nil {
			return err
		}
	}
	switch {
	case len(entries) == 0:
		env.Note("the log shows nothing")
	case more:
		env.Note("there is more: --most shows up to %d", mostAudit)
	}
	return nil
}

func printAudit(env *session.Env, e *reconcile.AuditEntry, zone *time.Location) error {
	what := e.Address
	if what == "" {
		what = e.Object
	}
	if e.Name != "" {
		what += fmt.Sprintf(" %q", e.Name)
	}
	lines := []string{fmt.Sprintf("%s  %s  %s  %s",
		e.At.In(zone).Format("2006-01-02 15:04:05 MST"), e.Actor, e.Action, what)}
	for _, change := range narrowed(e.Changes) {
		lines = append(lines, fmt.Sprintf("  %s: %s → %s",
			change.Field, shortened(string(change.Before)), shortened(string(change.After))))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(env.Out, diag.Printable(line)); err != nil {
			return err
		}
	}
	return nil
}

// narrowed returns changes with each change of an object as those of its fields that
// differ: what stays beside them would be cut before the difference shows.
func narrowed(changes []reconcile.AuditChange) []reconcile.AuditChange {
	var narrow []reconcile.AuditChange
	for _, change := range changes {
		var before, after map[string]json.RawMessage
		if json.Unmarshal(change.Before, &before) != nil ||
			json.Unmarshal(change.After, &after) != nil || before == nil || after == nil {
			narrow = append(narrow, change)
			continue
		}
		fields := maps.Clone(before)
		maps.Copy(fields, after)
		var inner []reconcile.AuditChange
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if !bytes.Equal(before[field], after[field]) {
				inner = append(inner, reconcile.AuditChange{
					Field:  change.Field + "." + field,
					Before: givenOrNull(before[field]), After: givenOrNull(after[field]),
				})
			}
		}
		narrow = append(narrow, narrowed(inner)...)
	}
	return narrow
}

func givenOrNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// shortened cuts what is too long for a line.
func shortened(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
