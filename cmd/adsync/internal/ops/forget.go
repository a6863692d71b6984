package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/internal/trail"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"
	"adsync/state/place"

	"github.com/spf13/cobra"
)

// forgetFlags are those of forget.
type forgetFlags struct {
	state  string
	config string
	out    string
	yes    bool
}

// Forget returns the command adsync forget.
func Forget(env *session.Env) *cobra.Command {
	var f forgetFlags
	c := &cobra.Command{
		Use:   "forget ACCOUNT [FOLDER]",
		Short: "Have adsync forget an account: its record is exported, then removed; no ad is touched",
		Long: `Have adsync forget an account: all it remembers of it is written into a zip file, that
is read once more, and then its state is removed: the folder, or what a database has of it.
The service is asked nothing, so that every campaign, ad group and ad stays as it is, active
or paused; your files stay too. Key and operator's file are not needed.

ACCOUNT is the id of the account whose state lies in FOLDER, or its name in the
daemon's configuration with --config. Take it out of that configuration first: while a
daemon or another adsync has the account, nothing is forgotten. Nor is it while a step
is open or an outcome unknown: adsync resume and adsync resolve end them.

To manage the account again later, adsync adopt or apply takes over what is live.`,
		Example: `  adsync forget adacct_quickstart --out record.zip --yes`,
		RunE:    func(c *cobra.Command, args []string) error { return runForget(env, c, args, f) },
	}
	c.Flags().StringVar(&f.config, "config", "", "the daemon's configuration, in which ACCOUNT is a name")
	c.Flags().StringVar(&f.state, "state", "", "folder of adsync's own state, where the files are not in a folder here")
	c.Flags().StringVar(&f.out, "out", "", "zip file for the record (default adsync-ACCOUNT-DAY.zip here)")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	env.Outputs(c, "text", "json")
	return c
}

func runForget(env *session.Env, c *cobra.Command, args []string, f forgetFlags) error {
	if len(args) == 0 || f.config != "" && (f.state != "" || len(args) > 1) || f.state != "" && len(args) > 1 {
		return console.Usage(c, errors.New("want an account, and one of a folder, --state and --config"))
	}
	d := &departure{env: env, account: args[0], yes: f.yes, out: f.out}
	var err error
	if f.config != "" {
		d.named = true
		d.project, err = session.NamedBy(env, c, nil, session.NamedFlags{Account: args[0], Config: f.config})
		d.copy, d.others = copyOfGit(f.config, args[0], d.project.Home)
	} else {
		d.project, err = projectIn(env, c, args[1:], f.state)
	}
	if err != nil {
		return err
	}
	if d.folder, err = filepath.Abs(d.project.StateFolder()); err != nil {
		return err
	}
	if d.at, err = session.PlaceOf(c.Context(), env, d.project); err != nil {
		return err
	}
	if d.at.Branch != nil {
		return console.Configuration("the record lies on %s: copy it to a folder (adsync state copy branch folder), "+
			"and forget that", d.at)
	}
	if d.at.Server == nil {
		d.project, d.at.Folder = config.Project{Home: d.folder}, d.folder
		return d.run(c.Context())
	}
	left := d.folder
	if d.folder, err = os.MkdirTemp("", "adsync-forget-"); err != nil { // from which the record is exported
		return err
	}
	defer os.RemoveAll(d.folder)
	err = d.run(c.Context())
	if serial, _ := state.SerialOf(left); err == nil && serial > 0 { // that was copied into the database
		env.Note("the record in %s is closed, and stays; take it away: rm -r %s",
			diag.Printable(left), console.Quoted(left))
	}
	return err
}

// copyOfGit is where the copy of the repository of an account lies, beside its state, ""
// where its files are in a folder; and those of the other accounts.
func copyOfGit(settings, account, state string) (own string, others []string) {
	file, err := filepath.Abs(settings)
	if err != nil {
		return "", nil
	}
	d, _ := config.ReadDaemon(file) // which has named the account before
	for _, one := range d.Accounts {
		switch {
		case one.Folder != "":
		case one.Name.Value == account:
			own = filepath.Join(filepath.Dir(state), "source")
		default:
			home := cmp.Or(one.State, filepath.Join(d.State, one.Name.Value))
			others = append(others, filepath.Join(home, "source"))
		}
	}
	return own, others
}

// removeCopy takes away the copy of the repository, and what of it the account shared with
// others where no other has it.
func (d *departure) removeCopy() error {
	shared := gitstore.SharedBy(d.copy)
	about, err := os.Stat(shared)
	if shared == "" || err != nil || slices.ContainsFunc(d.others, func(other string) bool {
		its, err := os.Stat(gitstore.SharedBy(other))
		return err == nil && os.SameFile(its, about)
	}) {
		return os.RemoveAll(d.copy)
	}
	return errors.Join(os.RemoveAll(shared), os.RemoveAll(d.copy))
}

// projectIn is the project whose state folder is named, or that of a folder with files.
func projectIn(env *session.Env, c *cobra.Command, args []string, named string) (config.Project, error) {
	if named != "" {
		return config.Project{Home: named}, nil
	}
	dir, err := console.Folder(c, args)
	if err != nil {
		return config.Project{}, err
	}
	return session.ProjectOf(env, dir)
}

// departure is an account on its way out of adsync.
type departure struct {
	env     *session.Env
	account string // its id, or its name
	named   bool   // it is a name of the daemon's configuration
	project config.Project
	at      place.Place // of its state
	folder  string      // of the state, or of a copy of one in a database
	out     string
	yes     bool
	copy    string   // adsync's own copy of the repository of an account from git; "" for none
	others  []string // those of other accounts

	holds     *orders.Attendance
	documents []trail.Document
	forgotten ForgetDocument
}

// ForgetDocument is the JSON form of forget.
type ForgetDocument struct {
	FormatVersion int    `json:"format_version"`
	Account       string `json:"account"`
	Folder        string `json:"folder"`    // that was removed; ACCOUNT in the database, where the state was there
	Record        string `json:"record"`    // the zip file
	Resources     int    `json:"resources"` // that adsync managed, and that stay as they are
	Runs          int    `json:"runs"`
}

func (d *departure) run(ctx context.Context) error {
	look := func(s state.Store) error { return d.look(ctx, s) }
	o := state.Options{Command: d.env.Command, Version: console.Release}
	var err error
	if d.at.Server == nil {
		err = state.Retire(ctx, d.folder, o, look, d.export)
	} else {
		err = d.at.Server.Retire(ctx, d.at.Account, d.folder, o, look, d.export)
	}
	if d.holds != nil {
		err = errors.Join(err, d.holds.End())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return console.Configuration("%s holds no state; nothing is remembered of %s", d.at, d.account)
	}
	if err == nil && d.copy != "" {
		err = d.removeCopy()
	}
	if err != nil {
		return err
	}
	if d.env.Flags.Output == "json" {
		return d.env.PrintJSON(d.forgotten)
	}
	f := d.forgotten
	_, err = fmt.Fprintf(d.env.Out, "Forgot %s: %s stay as they are at the service, and nobody looks after them.\n"+
		"Its record, with %s, is in %s.\n",
		diag.Printable(f.Account), diag.Plural(f.Resources, "resource"),
		diag.Plural(f.Runs, "run"), diag.Printable(f.Record))
	d.env.Note("your files and result copies stay; the record names people: keep it where only those read it who may")
	return err
}

// look sees whether the account may go, and gathers what is written of it.
func (d *departure) look(ctx context.Context, store state.Store) (err error) {
	id := store.Header().Account.ID
	if d.at.Server != nil {
		id = d.at.Account
	}
	if !d.named && id != d.account {
		if id == "" {
			return console.Configuration("the state is of no account yet; to remove it: rm -r %s",
				console.Quoted(d.folder))
		}
		return console.Configuration("the state in %s is of account %q; want its id, not %q", d.at, id, d.account)
	}
	err = d.attend(ctx)
	if errors.Is(err, orders.ErrAttended) {
		return console.ExitWith(console.ExitLocked,
			err.Error()+"; take the account out of its configuration first, or end it")
	}
	if err != nil {
		return err
	}
	open, err := store.Heads(ctx)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return console.ExitWith(console.ExitUnknown,
			fmt.Sprintf("%s open, or of unknown outcome: what was sent may still have an effect; "+
				"end it with adsync resume, or adsync resolve ADDRESS", console.PluralAre(len(open), "step")))
	}
	if err := d.gather(ctx, store); err != nil {
		return err
	}
	if err := (console.NewFile{Flag: "--out", Name: d.out, Never: true}).Free(); err != nil {
		return err
	}
	return d.ask(ctx)
}

// attend keeps daemons from a folder. In a database nobody begins with a state that somebody has.
func (d *departure) attend(ctx context.Context) (err error) {
	at := session.OrdersOf(d.env, d.project)
	if d.at.Server == nil {
		d.holds, err = at.Attend(func(t time.Duration) { _ = session.Sleep(ctx, t) })
		return err
	}
	taken, err := at.Lock.Taken()
	if err == nil && taken {
		err = orders.ErrAttended
	}
	return err
}

// gather reads what is written for people. All else is in the files of the state.
func (d *departure) gather(ctx context.Context, store state.Store) error {
	header := store.Header()
	reviews := session.KnownReviews(d.env, d.project)
	k := &runs.KeptRuns{
		Store: store, Orders: session.OrdersOf(d.env, d.project), Zone: time.UTC, Reviews: reviews,
	}
	h, err := k.History(ctx, trail.Window{}, 0)
	if err != nil {
		return err
	}
	last, err := store.Last(ctx)
	if err != nil {
		return err
	}
	record := runs.SnapshotDocument{
		FormatVersion: console.FormatVersion, Resources: []runs.ResourceDocument{}, Problems: []diag.Problem{},
	}
	for r := range last.All() {
		one := runs.ResourceDocument{
			Address: r.Address.String(), Kind: r.Address.Kind,
			ID: r.ID, Attributes: runs.Nested(r.Attributes), Position: r.Position,
		}
		record.Resources = append(record.Resources, one)
	}
	asJSON := func(document any) func(io.Writer) error {
		return func(w io.Writer) error { return console.WriteJSON(w, document) }
	}
	d.documents = []trail.Document{
		{Name: "history.csv", Write: h.WriteCSV}, {Name: "history.json", Write: asJSON(h)},
		{Name: "record.json", Write: asJSON(record)},
	}
	for _, run := range h.Runs {
		report, err := store.Report(ctx, run.Run)
		if errors.Is(err, state.ErrNoReport) {
			continue
		}
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { _, err := w.Write(report); return err }
		d.documents = append(d.documents, trail.Document{Name: "runs/" + run.Run + ".json", Write: write})
	}
	if d.out == "" {
		d.out = fmt.Sprintf("adsync-%s-%s.zip", plainName(d.account), time.Now().Format(time.DateOnly))
	}
	if d.out, err = filepath.Abs(d.out); err != nil {
		return err
	}
	if liesIn(d.folder, d.out) {
		return console.Configuration("--out is %s, in the folder that is removed; want another place", d.out)
	}
	d.forgotten = ForgetDocument{console.FormatVersion,
		cmp.Or(header.Account.ID, d.at.Account), d.at.String(), d.out, len(record.Resources), len(h.Runs)}
	return nil
}

// plainName is a text as a part of a file's name.
func plainName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, text)
}

// liesIn reports whether a file would lie in a folder.
func liesIn(folder, file string) bool {
	at, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return false // nothing can be written there
	}
	whole, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return true
	}
	below, err := filepath.Rel(whole, at)
	return err != nil || filepath.IsLocal(below)
}

func (d *departure) ask(ctx context.Context) error {
	if d.yes {
		return nil
	}
	if !console.IsTerminal(d.env.In) {
		return console.Configuration("forget asks " +
			"before it removes anything, and there is no terminal to ask at; use --yes")
	}
	f := d.forgotten
	fmt.Fprintf(d.env.Err, "%s of %s stay as they are at the service. The record goes to %s, and %s is removed.\n"+
		"Forget the account? Only yes goes on: ",
		diag.Plural(f.Resources, "resource"), diag.Printable(f.Account),
		diag.Printable(f.Record), diag.Printable(f.Folder))
	return console.Confirmed(ctx, d.env.In)
}

// notKept are files of a state folder that say something of a process alone.
var notKept = []string{"lock", "probe", "daemon.lock", orders.DaemonName}

func (d *departure) export() error {
	if about, err := os.Lstat(d.out); err == nil && about.Size() == 0 { // as mktemp makes it
		if err := os.Remove(d.out); err != nil {
			return err
		}
	}
	if d.at.Server != nil {
		if err := d.copyBeside(); err != nil {
			return err
		}
	}
	if err := trail.Archive(d.out, d.documents, d.folder, notKept); err != nil {
		return console.Configuration("the record cannot be exported, and nothing was removed: %v", err)
	}
	return nil
}

// copyBeside puts what is kept beside a state in a database into the folder that is exported.
func (d *departure) copyBeside() error {
	beside, to := session.OrdersOf(d.env, d.project).Store, kv.Folder{Dir: d.folder}
	names, err := beside.Names("")
	for _, name := range names {
		content, failure := beside.Get(name, kv.Most)
		if failure == nil {
			failure = to.Put(name, content)
		}
		err = errors.Join(err, failure)
	}
	return err
}
