package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/place"

	"github.com/spf13/cobra"
)

// Doctor returns the command adsync doctor.
func Doctor(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor [FOLDER]",
		Short: "Look at everything an apply rests on, and say what to do about what is wrong",
		Long: `Look at everything an apply rests on: the files, the policy, adsync's own record and
its disk, the key, the way to the service, the clocks, the account, what it may
use, and what earlier runs left. Each has a line: ok, a note, or a problem with what
to do. Nothing is changed. It ends with 0 without a problem, else with the exit code
an apply would end with.`,
		Example: `  adsync doctor`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runDoctor(c.Context(), env, dir)
		},
	}
	env.Outputs(c, "text", "json")
	return c
}

// A finding is how one thing is that an apply rests on.
type finding struct {
	Check   string `json:"check"`
	Result  string `json:"result"` // ok, note or problem
	Message string `json:"message"`
	Do      string `json:"do"` // "" where nothing is to be done

	code int
}

// DoctorDocument is the JSON form of doctor.
type DoctorDocument struct {
	FormatVersion int               `json:"format_version"`
	Service       *planview.Service `json:"service,omitempty"` // absent where none is named
	Problems      int               `json:"problems"`
	Checks        []finding         `json:"checks"`
}

func (d *DoctorDocument) ok(check, format string, args ...any) {
	d.Checks = append(d.Checks, finding{Check: check, Result: "ok", Message: fmt.Sprintf(format, args...)})
}

func (d *DoctorDocument) note(check, do, format string, args ...any) {
	d.Checks = append(d.Checks, finding{Check: check, Result: "note", Message: fmt.Sprintf(format, args...), Do: do})
}

func (d *DoctorDocument) problem(check, do string, code int, message string) {
	d.Problems++
	d.Checks = append(d.Checks, finding{check, "problem", message, do, code})
}

func runDoctor(ctx context.Context, env *session.Env, dir string) error {
	d := &DoctorDocument{FormatVersion: console.FormatVersion, Checks: []finding{}}
	l := session.Load(ctx, env, dir)
	d.Service = session.ServiceOf(env, l.Project)
	if examineFiles(env, d, l) {
		examineState(ctx, env, d, l.Project)
		if err := examineService(ctx, env, d, l); err != nil {
			return err
		}
	}
	if err := printFindings(env, d); err != nil || d.Problems == 0 {
		return err
	}
	for _, f := range d.Checks {
		if f.Result == "problem" {
			return console.ExitWith(f.code, diag.Plural(d.Problems, "problem"))
		}
	}
	return nil
}

func printFindings(env *session.Env, d *DoctorDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	if d.Service != nil {
		if _, err := fmt.Fprintf(env.Out, "Service: %s\n", d.Service.Words()); err != nil {
			return err
		}
	}
	for _, f := range d.Checks {
		text := fmt.Sprintf("%-8s %-10s %s", f.Result, f.Check, f.Message)
		if f.Do != "" {
			text += "; " + f.Do
		}
		if _, err := fmt.Fprintln(env.Out, diag.Printable(text)); err != nil {
			return err
		}
	}
	return nil
}

// examineFiles reports whether there is a project to look at further.
func examineFiles(env *session.Env, d *DoctorDocument, l session.Loaded) bool {
	p := l.Project
	if _, err := os.Stat(filepath.Join(p.Root, "adsync.yaml")); errors.Is(err, fs.ErrNotExist) {
		d.note("project", "adsync init writes it",
			"%s has no adsync.yaml: the account is whatever the key opens", p.Root)
	} else if p.Account.ID == "" {
		d.note("project", "name it under account: in adsync.yaml, so that no other key can be used by mistake",
			"%s names no account", p.Root)
	} else {
		d.ok("project", "%s is for account %s", p.Root, p.Account.ID)
	}
	switch errors, first := errorsIn(l.Desired.Problems); {
	case errors == 1 && len(l.Desired.Sources) == 0 &&
		slices.ContainsFunc(l.Desired.Problems, func(p diag.Problem) bool { return p.Code == diag.NoSources }):
		d.problem("files", "adsync import"+session.From(env, p.Root)+
			" writes what the account has, adsync template an empty workbook", console.ExitInvalid, first)
	case errors > 0:
		d.problem("files", "adsync validate"+session.From(env, p.Root)+" shows all",
			console.ExitInvalid, fmt.Sprintf("%s, the first %s", diag.Plural(errors, "error"), first))
	default:
		d.ok("files", "%s in %s", diag.Plural(l.Desired.Snapshot.Len(), "resource"),
			diag.Plural(len(l.Desired.Sources), "source"))
	}
	if _, err := os.Stat(p.Root); err != nil {
		return false
	}
	examinePolicy(env, d, p)
	return true
}

func errorsIn(problems []diag.Problem) (n int, first string) {
	for _, p := range problems {
		if p.Severity != diag.Error {
			continue
		}
		if n++; n == 1 {
			first = p.String()
		}
	}
	return n, first
}

func examinePolicy(env *session.Env, d *DoctorDocument, p config.Project) {
	from := "no operator's file"
	if file, named := session.OperatorFile(env); file != "" {
		if _, err := os.Stat(file); err == nil {
			from = "with " + file
		} else if named {
			from = "" // its absence is a problem of the files
		}
	}
	g := session.Govern(env, p, session.Schemas(), env.Clock.OrSystem().Now())
	if g.Policy.MaxDailyExposure == 0 || g.Policy.CeilingWatched {
		d.note("policy", "set max_daily_exposure in the operator's file for a daemon that may raise",
			"%s, no ceiling of the operator's: unattended runs raise nothing", from)
		return
	}
	d.ok("policy", "%s", from)
}

// examineState looks at adsync's record, where it lies, and what was left in it.
func examineState(ctx context.Context, env *session.Env, d *DoctorDocument, p config.Project) {
	at, err := session.PlaceOf(ctx, env, p)
	if err != nil {
		d.problem("state", "docs/operate/database.md says what a database with states needs",
			console.ExitCode(ctx, err), console.Coded(err))
		return
	}
	if at.Server != nil {
		examineDatabase(ctx, env, d, p, at)
		return
	}
	if at.Branch != nil {
		examineBranch(ctx, env, d, p, at)
		return
	}
	dir := p.StateFolder()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := state.Try(p.Root); err != nil {
			d.problem("state", "adsync keeps its record there: give the one who runs it the right to write",
				console.ExitCode(ctx, err), err.Error())
			return
		}
		d.ok("state", "none yet: the first apply makes %s", dir)
		return
	}
	s, err := statusOf(ctx, env, p)
	if err != nil {
		d.problem("state", "docs/operate/recovery.md says how a record is put right",
			console.ExitCode(ctx, err), console.Coded(err))
		return
	}
	if err := state.Try(dir); err != nil {
		d.problem("state", "nothing can be applied until the folder takes files and keeps them",
			console.ExitCode(ctx, err), err.Error())
		return
	}
	d.ok("state", "%s: %s, writable and durable", dir, diag.Plural(s.Managed, "resource"))
	for _, open := range s.WritableByOthers {
		d.note("state", "chmod go-w", "others may write %s, and with it what adsync sends", open)
	}
	examineRecord(d, s)
}

// examineBranch looks at the record on a git branch.
func examineBranch(ctx context.Context, env *session.Env, d *DoctorDocument, p config.Project, at place.Place) {
	s, err := statusOf(ctx, env, p)
	switch {
	case err != nil:
		d.problem("state", "docs/operate/state-branch.md says what is refused, and what to do",
			console.ExitCode(ctx, err), console.Coded(err))
		return
	case s.Lineage == "":
		d.note("state", "adsync state begin makes it, with the key", "%s is not there: nothing can be applied", at)
		return
	}
	d.ok("state", "%s: %s", at, diag.Plural(s.Managed, "resource"))
	if !at.Branch.Verified() {
		d.note("state", "where something is applied it needs ADSYNC_STATE_KEY", "%s is not verified", at)
	}
	examineRecord(d, s)
}

// examineDatabase looks at the record in a database, and at whether the database keeps it where it fails.
func examineDatabase(ctx context.Context, env *session.Env, d *DoctorDocument, p config.Project, at place.Place) {
	s, err := statusOf(ctx, env, p)
	if err != nil {
		d.problem("state", "docs/operate/database.md says how a record is put right",
			console.ExitCode(ctx, err), console.Coded(err))
		return
	}
	d.ok("state", "%s: %s", at, diag.Plural(s.Managed, "resource"))
	behind, err := at.Server.Behind(ctx)
	if err != nil {
		d.problem("database", "check the address, the network and the server", console.ExitCode(ctx, err), err.Error())
		return
	}
	for _, standby := range behind {
		d.note("database", "name it in synchronous_standby_names, or know that a promotion may lose commits, "+
			"which adsync notices and stops at", "standby %q may be behind", standby)
	}
	if at.Server.Pooled() {
		d.note("database", "connect past it if orders have to reach daemons at once, and not within 2 s",
			"a pooler such as PgBouncer stands before it")
	}
	examineRecord(d, s)
}

// examineRecord says who works with the record, and what is left in it.
func examineRecord(d *DoctorDocument, s StatusDocument) {
	if s.Lock.Held {
		d.note("lock", "wait for it: an apply from here ends with 10 until then", "%s", s.Lock)
	}
	if s.Stop != "" {
		d.problem("stop", "take it away when all is clear", console.ExitRefused, s.Stop+" lies there: nothing is sent")
	}
	if s.Suspended != nil {
		d.note("suspended", "adsync resume goes on", "%s", strings.TrimPrefix(s.Suspended.String(), "suspended "))
	}
	if len(s.Open) > 0 && !s.Lock.Held {
		d.note("open", "adsync resume ends it, and so does the next apply",
			"%s of an earlier run", diag.Plural(len(s.Open), "step"))
	}
	for _, u := range s.Undecided {
		d.note("unknown", "adsync resolve "+u.Address, "%s: %s", u.Address, u.Message)
	}
	for _, q := range s.Quarantined {
		d.note("refused", "edit its row", "%s since %s: %s (%s)", q.Address, console.UTC(q.Since), q.Message, q.Code)
	}
	if s.Daemon != nil {
		d.ok("daemon", "%s", daemonLine(s.Daemon))
	}
}

// examineService looks at the key, the way to the service, and the account behind it.
func examineService(ctx context.Context, env *session.Env, d *DoctorDocument, l session.Loaded) error {
	s := &session.Session{}
	defer s.End()
	client, err := session.Dial(env, s, l.Project, adsapi.Config{ReadOnly: true})
	if err != nil {
		d.problem("key", "docs/use/quickstart-engineer.md says where a key may stand",
			console.ExitCode(ctx, err), err.Error())
		return nil
	}
	d.ok("key", "%s", session.KeyPlace(env, l.Project))
	account, err := client.Account(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		do := "check the address, the network and the proxy"
		if errors.Is(err, adsapi.ErrUnauthorized) {
			do = "check the key, and what it may do in the ad manager"
		}
		d.problem("service", do, console.ExitCode(ctx, err), err.Error())
		return nil
	}
	d.ok("service", "it answered")
	switch ahead := client.Ahead().Round(time.Second); {
	case ahead.Abs() > clockNote:
		d.note("clock", "set it: past 5 minutes freeze windows count as open",
			"this machine is %s from the service", ahead.Abs())
	default:
		d.ok("clock", "as the service's")
	}
	named := l.Project.Account
	named.ID = cmp.Or(named.ID, l.Desired.WrittenFor)
	if err := reconcile.SameAccount(account,
		state.Account{ID: named.ID, Currency: named.Currency, TimeZone: named.TimeZone}); err != nil {
		d.problem("account", "use the key of this account, or correct account: in adsync.yaml",
			console.ExitCode(ctx, err), err.Error())
		return nil
	}
	if account.Status != "" && account.Status != "active" {
		d.note("account", "start it in the ad manager", "%s is %s: nothing is delivered", account.ID, account.Status)
	} else {
		d.ok("account", "%s, %s, %s", account.ID, account.Currency, account.TimeZone)
	}
	return examineFeatures(ctx, d, client)
}

// clockNote is how far the clocks may be apart before it is worth a word.
const clockNote = 30 * time.Second

// examineFeatures asks for a page of everything that is listed: not every account, and
// not every key, has all of it.
func examineFeatures(ctx context.Context, d *DoctorDocument, client *adsapi.Client) error {
	has, without, err := session.Features(ctx, client)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		d.problem("features", "run it again later", console.ExitCode(ctx, err), err.Error())
	case len(without) > 0:
		d.note("features", "files that use them are held or reported as unavailable",
			"this key or account has no %s", strings.Join(without, ", "))
	default:
		d.ok("features", "the key reads %s", strings.Join(has, ", "))
	}
	return nil
}
