package daemoncmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/daemon/web"
	"adsync/internal/daemon/web/metrics"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/watch"
	"adsync/sources/config"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
)

// daemonFlags are those of the daemon.
type daemonFlags struct {
	config    string
	logFormat string
	listen    string
	once      bool
	check     bool
	account   config.DaemonAccount // what stands for every folder
}

// Command returns the command adsync daemon.
func Command(env *session.Env) *cobra.Command {
	var f daemonFlags
	c := &cobra.Command{
		Use:   "daemon [FOLDER...]",
		Short: "Keep accounts equal to their files, for as long as it runs",
		Long: `Keep accounts equal to their files, for as long as it runs: look at files and
account, plan, apply what nothing holds, and again whenever something may have
changed. Nobody looks on, so that allowances come from the operator's file and from
approvals alone.

A folder needs nothing else. --config names a file with many accounts, from folders
and from git. SIGHUP has that file read again; SIGTERM ends the daemon, once what was
sent is heard of. docs/operate/daemon.md says what wakes it and what it does after errors.`,
		Example: `  adsync daemon --check
  adsync daemon --once
  adsync daemon --listen none`,
		RunE: func(c *cobra.Command, args []string) error { return runDaemon(env, c, args, f) },
	}
	c.Flags().StringVar(&f.config,
		"config", "", "file with the accounts and how to listen (daemon.yaml), in the place of folders")
	c.Flags().StringVar(&f.logFormat, "log-format", "text", "log on standard error: text or json")
	console.Completes(c, "log-format", "text", "json")
	c.Flags().StringVar(&f.listen, "listen", "", "address of the page, the API and the metrics, or none (default "+
		web.DefaultListen+"); docs/operate/web.md says who may do what")
	c.Flags().BoolVar(&f.once, "once", false, "one run of each account, and exit with the code of the worst")
	c.Flags().BoolVar(&f.check, "check", false, "check the configuration and end")
	c.Flags().DurationVar(&f.account.Settle, "settle",
		2*time.Second, "how long files must hold still before they are taken for written")
	c.Flags().DurationVar(&f.account.Every, "every",
		time.Minute, "how often files and account are looked at though nothing tells of a change")
	c.Flags().DurationVar(&f.account.Full, "full", 24*time.Hour, "how often the whole account is read")
	return c
}

func runDaemon(env *session.Env, c *cobra.Command, args []string, f daemonFlags) error {
	if f.config != "" {
		for _, name := range []string{"listen", "settle", "every", "full"} {
			if c.Flags().Changed(name) {
				return console.Usage(c, fmt.Errorf("--%s goes with folders; with --config the file says it", name))
			}
		}
		if len(args) > 0 {
			return console.Usage(c, errors.New("--config and folders exclude each other"))
		}
	}
	if f.account.Settle <= 0 || f.account.Every < time.Second ||
		f.account.Full < time.Minute || f.account.Full > 24*time.Hour {
		return console.Usage(c, errors.New("--settle, --every "+
			"and --full are out of bounds; want more than 0s, at least 1s, and 1m to 24h"))
	}
	d := &daemonRun{env: env, flags: f, folders: args, began: time.Now(), known: map[string]daemon.Account{},
		reporting: make(chan struct{}, reportsAtOnce)}
	env.OnSecret = d.secrets.add
	var err error
	if d.log, err = logger(env, f.logFormat, &d.secrets); err != nil {
		return console.Usage(c, err)
	}
	settings, err := d.configuration(c.Context())
	if err != nil {
		return err
	}
	if f.check {
		return d.checkFiles(settings)
	}
	return d.run(c.Context(), settings)
}

// reportsAtOnce is how many reports are made and sent at once.
const reportsAtOnce = 2

// daemonRun is the daemon from its start to its end.
type daemonRun struct {
	env     *session.Env
	flags   daemonFlags
	folders []string
	log     *slog.Logger
	began   time.Time
	secrets secrets
	system  *watch.System // nil where the system does not tell
	looks   looking       // in the place of what system tells; zero but in a simulation
	hub     *daemon.Hub
	desk    daemon.Desk // of all accounts, whichever daemon works on them

	addresses session.Addresses // whose limits the accounts share
	sharing   *sharing          // with other daemons; nil where states lie in folders
	errands   *errandsBeside    // that any of them does; nil with sharing

	reporting    chan struct{} // takes who makes a report
	forges       pulls.Forges
	known        map[string]daemon.Account   // by name: those that run
	repositories map[string]*gitstore.Shared // of them, by address and credentials
}

// slowest is how long an account may take to end. What it sent is waited for 30 s.
const slowest = 35 * time.Second

func (d *daemonRun) run(ctx context.Context, settings config.Daemon) error {
	if !d.flags.once {
		d.listenToFolders()
	}
	var err error
	if d.sharing, err = shareOf(ctx, d.env, d.log, settings); err != nil {
		return err
	}
	if d.errands, err = errandsOf(d, d.sharing, settings.Keep); err != nil {
		return err
	}
	counts := metrics.New()
	alive, err := d.alive(settings)
	if err != nil {
		return err
	}
	options := daemon.Options{
		Once: d.flags.once, Places: settings.Places, Logger: d.log, Observer: counts, Redact: d.secrets.redact,
	}
	if alive != nil {
		options.Moves, options.Doze = alive.Ring, settings.Alive.Every/2
	}
	if d.sharing != nil {
		options.Tells = d.sharing.publisher.Happened
	}
	d.hub = daemon.New(options)
	d.desk = d.hub.Desk()
	if d.sharing != nil {
		d.desk = d.sharing.shows(d)
	}
	page, err := d.listen(ctx, settings, counts)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reloads, unregister := hangups()
	defer unregister()
	changes := make(chan []daemon.Account)
	var beside sync.WaitGroup
	beside.Go(func() {
		<-d.hub.Working()
		page.serve(ctx)
	})
	accounts := d.accounts(settings, page)
	beside.Go(func() { d.unbroken(ctx, "reloading", func() { d.reload(ctx, settings, reloads, changes, page) }) })
	beside.Go(func() { d.unbroken(ctx, "the watchdog", func() { d.breathe(ctx) }) })
	if alive != nil && !d.flags.once {
		beside.Go(func() { d.unbroken(ctx, "the address of alive", func() { alive.Run(ctx) }) })
	}
	beside.Go(func() { giveBack(ctx, d.env.Getenv) })
	beside.Go(func() { d.unbroken(ctx, "errands", func() { d.errands.run(ctx) }) })
	d.log.Info("the daemon runs", "version", console.Release, "accounts", len(accounts), "listen", page.address())
	logKeep(d.log, settings.Keep)
	tellSystemd(d.log, systemd.SdNotifyReady)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.hub.Run(ctx, accounts, changes)
	}()
	d.await(ctx, ended)
	interrupted := ctx.Err() != nil
	stop()
	beside.Wait()
	if d.system != nil {
		_ = d.system.Close() // nobody listens any more
	}
	if !interrupted {
		d.askOnce(alive)
	}
	if code := console.CodeOfClass(d.hub.Worst()); d.flags.once && !interrupted && code != console.ExitDone {
		return console.ExitWith(code, "")
	}
	return nil
}

// What many accounts took at once, as after a start, is not kept while they idle: at
// most half as much again as lives, unless GOGC says otherwise, and what was freed is
// given back after gaveBack.
const (
	heapGrowth = 50 // percent
	gaveBack   = 2 * time.Minute
)

// giveBack keeps the memory of a daemon small until the context ends.
func giveBack(ctx context.Context, env func(string) string) {
	if env("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	for session.Sleep(ctx, gaveBack) == nil {
		debug.FreeOSMemory()
	}
}

// unbroken does something beside the accounts again where it broke off: no account
// has to end with it.
func (d *daemonRun) unbroken(ctx context.Context, what string, do func()) {
	for whole := false; !whole && ctx.Err() == nil; {
		func() {
			defer func() {
				if cause := recover(); cause != nil {
					daemon.Broken(d.log, what, cause, d.secrets.redact)
					_ = session.Sleep(ctx, time.Second) // not over and over at once
				}
			}()
			do()
			whole = true
		}()
	}
}

// await waits for the loops, and not for ever once the daemon is told to end.
func (d *daemonRun) await(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	tellSystemd(d.log, systemd.SdNotifyStopping)
	d.log.Info("the daemon ends; what was sent is waited for")
	select {
	case <-ended:
		d.log.Info("the daemon has ended")
	case <-time.After(slowest):
		d.log.Error("an account did not end in time; its journal is as whole as after a kill")
	}
}

func (d *daemonRun) listenToFolders() {
	var err error
	if d.system, err = watch.NewSystem(); err != nil {
		d.log.Warn("the system does not tell of changes; files are looked at instead",
			"error", err, "every", rescanBlind)
	}
}

// hangups returns the signals that want the configuration read again. To other
// commands the same signal is an end.
func hangups() (signals <-chan os.Signal, unregister func()) {
	signal.Reset(syscall.SIGHUP)
	all := make(chan os.Signal, 1)
	signal.Notify(all, syscall.SIGHUP)
	return all, func() { signal.Stop(all) }
}

// reload takes over the configuration as it is now, whenever a signal says so, and the accounts that are this
// daemon's, whenever those are others. A configuration that is not valid changes nothing.
func (d *daemonRun) reload(ctx context.Context, settings config.Daemon,
	signals <-chan os.Signal, changes chan<- []daemon.Account, page *page) {
	pulled := make(chan []string)
	var sharing sync.WaitGroup
	defer sharing.Wait()
	if d.sharing != nil {
		sharing.Go(func() { d.unbroken(ctx, "sharing accounts", func() { d.sharing.pull(ctx, pulled) }) })
		sharing.Go(func() { d.unbroken(ctx, "telling of accounts", func() { d.sharing.publisher.Run(ctx) }) })
		sharing.Go(func() { d.unbroken(ctx, "listening", func() { d.sharing.listener.Run(ctx) }) })
	}
	for {
		taken := false
		select {
		case <-ctx.Done():
			return
		case held := <-pulled:
			d.sharing.hold(held)
		case <-signals:
			var err error
			settings, taken, err = configuredAgain(ctx, d, settings, page)
			if err != nil {
				d.log.Error("the configuration is not taken over; the one before stays", "error", err)
				continue
			}
		}
		select {
		case changes <- d.accounts(settings, page):
			if taken {
				d.log.Info("the configuration was taken over", "accounts", len(settings.Accounts))
			}
		case <-ctx.Done():
		}
	}
}

// configuredAgain reads the configuration anew.
func configuredAgain(
	ctx context.Context, d *daemonRun, before config.Daemon, page *page) (config.Daemon, bool, error) {
	settings, err := d.configuration(ctx)
	if err == nil {
		err = d.sharing.configure(d.env, settings)
	}
	if err == nil {
		err = page.allow(ctx, d.env, settings)
	}
	if err != nil {
		return before, false, err
	}
	if moved := page.moved(settings); len(moved) > 0 {
		d.log.Warn("what was changed here is taken over by a restart alone", "settings", strings.Join(moved, ", "))
	}
	return settings, true, nil
}

// breathe tells systemd that every account moves, where it wants to know.
func (d *daemonRun) breathe(ctx context.Context) {
	every, err := systemd.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		return
	}
	d.feed(ctx, every/2, func() { tellSystemd(d.log, systemd.SdNotifyWatchdog) })
}

// feed keeps a watchdog from barking for as long as every account moves.
func (d *daemonRun) feed(ctx context.Context, every time.Duration, food func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := d.hub.Alive(); err != nil {
			d.log.Error("an account stands still, and the watchdog is told nothing", "error", err)
			continue
		}
		food()
	}
}

// tellSystemd notifies systemd of a state of the daemon.
func tellSystemd(log *slog.Logger, state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		log.Warn("systemd does not hear the daemon", "error", err)
	}
}

// configuration is the file's, or that of the folders.
func (d *daemonRun) configuration(ctx context.Context) (config.Daemon, error) {
	settings, err := d.ofFolders()
	if d.flags.config != "" {
		settings, err = d.ofFile()
	}
	if err != nil {
		return settings, err
	}
	if err := d.checkNotify(settings); err != nil {
		return settings, err
	}
	if err := d.checkAlive(settings); err != nil {
		return settings, err
	}
	return settings, d.checkPage(ctx, settings)
}

// checkFiles wants every file that the configuration names.
func (d *daemonRun) checkFiles(settings config.Daemon) error {
	missing := settings.MissingFiles()
	if len(missing) == 0 {
		return nil
	}
	d.show(missing)
	return console.ExitWith(console.ExitUsage, fmt.Sprintf("%s of the configuration", console.Counted(missing)))
}

func (d *daemonRun) ofFile() (config.Daemon, error) {
	file, err := filepath.Abs(d.flags.config)
	if err != nil {
		return config.Daemon{}, err
	}
	settings, problems := config.ReadDaemon(file)
	d.show(problems)
	if n := len(problems); n > 0 {
		return settings, console.ExitWith(console.ExitUsage,
			fmt.Sprintf("%s of the configuration", console.Counted(problems)))
	}
	for _, a := range settings.Accounts { // what is watched must not say what watches it
		if a.Folder == "" {
			continue
		}
		project, _ := session.ReadProject(d.env, a.Folder) // its problems are those of its first run
		if err := project.Outside(file); errors.Is(err, config.ErrWatched) {
			return settings, console.Configuration("%s: the daemon's configuration %v", file, err)
		}
	}
	return settings, nil
}

// show prints problems for who starts the daemon, and logs them once it runs: what
// reads a log in JSON reads nothing else.
func (d *daemonRun) show(problems []diag.Problem) {
	if d.hub == nil {
		session.ShowProblems(d.env, config.Project{}, problems)
		return
	}
	for _, p := range problems {
		d.log.Error("a problem of the configuration", "problem", diag.Printable(p.String()))
	}
}

func (d *daemonRun) ofFolders() (config.Daemon, error) {
	settings := config.Daemon{Listen: config.Setting{Value: d.flags.listen}}
	folders := d.folders
	if len(folders) == 0 {
		folders = []string{"."}
	}
	names := map[string]bool{}
	for _, dir := range folders {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return settings, err
		}
		account := d.flags.account
		account.Name.Value, account.Folder = filepath.Base(whole), whole
		if names[account.Name.Value] {
			return settings, console.Configuration("two folders "+
				"have the name %q; want --config with a file that names the accounts", account.Name.Value)
		}
		names[account.Name.Value] = true
		settings.Accounts = append(settings.Accounts, account)
	}
	return settings, nil
}
