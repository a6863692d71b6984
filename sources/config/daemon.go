package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/sources/bounded"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Daemon is what the daemon's configuration file says. Like the operator's file
// it is the operator's, and holds no secret itself.
type Daemon struct {
	File        string
	Listen      Setting // an address and port, or none; zero where nothing is said
	Token       KeyReference
	Cert, Key   Setting // files of TLS
	BehindProxy bool
	UserHeader  Setting
	Hosts       []Setting
	Access      Access
	Pprof       bool
	State       string // folder of the states of accounts that are read from git
	NoFigures   bool   // what campaigns, ad groups and ads did is not read
	Icons       bool   // those of brands are fetched from where the service says
	Places      int    // runs that compute at once; 0 where nothing is said
	Accounts    []DaemonAccount
	Alive       Alive
	Keep        Keep
	Database    KeyReference // where the address of the database is that holds the states; zero: they lie in folders
	Address     Setting      // what daemons of one database call the network address that requests leave from
}

// Keep is how long things are kept; 0 where nothing is said.
type Keep struct {
	People  time.Duration // names of people, in what they ordered and ran
	Results time.Duration // reports of runs and copies with results
	Uploads time.Duration // files that were dropped for a look
}

// Alive is an address that is asked for every so often while the daemon moves. Its zero
// value is none.
type Alive struct {
	URL   KeyReference
	Every time.Duration
}

// DaemonAccount is one account of the daemon.
type DaemonAccount struct {
	Name     Setting
	ID       Setting // of the ad account, where the state lies in a database; zero: what adsync.yaml says
	Folder   string  // whole path; "" for Git
	Git      Git
	State    string // folder of adsync's own state of an account from git
	Operator string // whole path of the operator's file; "" for that of the daemon
	Every    time.Duration
	Full     time.Duration
	Settle   time.Duration
	PlanOnly bool         // apply: plan
	Webhook  KeyReference // its secret; zero: none is taken
	Notify   []Notify     // who is told of what
	Also     []Notify     // who of people is not, and can be told of what concerns them
	Reports  []Report     // which are sent
	Pace     Pace         // above what spend is told
	// branch that files dropped in the page are committed to, or uploadsInFolder; zero: they are nowhere put
	Uploads Setting
	// Answers is the branch that what became of runs is committed to; zero: none is.
	// Proposes has what others changed at the service proposed on branches of their own.
	Answers  Setting
	Proposes bool
	Pulls    PullRequests // which are answered; zero: none are
	Results  string       // folder of the copies with results; "" for beside the files, of git for the state
	// WriteBack has what became of rows written into the files themselves.
	WriteBack bool
}

// daemonDefaults are for every account that says nothing.
var daemonDefaults = DaemonAccount{
	Every: time.Minute, Full: 24 * time.Hour, Settle: 2 * time.Second, Pace: Pace{Lifetime: 20}}

// Pace is how many percent more than allowed may be spent until people are told: of a daily budget, and of the even
// part of a lifetime budget.
type Pace struct{ Daily, Lifetime int64 }

func (p *Pace) read(w *settingReader, node *yaml.Node) {
	percent := func(where string, to *int64) func(*yaml.Node) {
		return func(n *yaml.Node) {
			value := w.setting(n, where).Value
			number, err := strconv.ParseUint(strings.TrimSuffix(value, "%"), 10, 16)
			if err != nil || number > 1000 {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("%s is %q; want percent from 0 to 1000", where, value), "for example 20%")
				return
			}
			*to = int64(number)
		}
	}
	w.fields(node, "pace", map[string]func(*yaml.Node){
		"daily": percent("pace.daily", &p.Daily), "lifetime": percent("pace.lifetime", &p.Lifetime),
	})
}

// ReadDaemon reads the configuration of the daemon.
func ReadDaemon(file string) (Daemon, []diag.Problem) {
	d := Daemon{File: file}
	w := &settingReader{yamlnode.Walker{Origin: diag.OriginOf(file, "")}}
	if problem := w.ownFile(file, "the daemon's configuration",
		func(document *yaml.Node) { d.read(w, document) }); problem != nil {
		return d, []diag.Problem{*problem}
	}
	if len(d.Accounts) == 0 && len(w.Problems) == 0 {
		w.Problems = append(w.Problems, diag.Problem{
			Severity: diag.Error, Code: diag.BadProject,
			Position: diag.InFile(file), Message: "accounts names none; want at least one",
		})
	}
	return d, w.Problems
}

func (d *Daemon) read(w *settingReader, node *yaml.Node) {
	defaults := daemonDefaults
	var accounts *yaml.Node
	var people map[string]Notify
	var server *Notify
	var reports []Report
	readers := map[string]func(*yaml.Node){
		"listen":       func(n *yaml.Node) { d.Listen = w.setting(n, "listen") },
		"token":        func(n *yaml.Node) { d.Token.read(w, n, "token", "ADSYNC_TOKEN") },
		"tls":          func(n *yaml.Node) { d.readTLS(w, n) },
		"behind_proxy": func(n *yaml.Node) { d.BehindProxy = w.yes(n, "behind_proxy") },
		"user_header":  func(n *yaml.Node) { d.UserHeader = w.setting(n, "user_header") },
		"hosts":        func(n *yaml.Node) { d.Hosts = w.settings(n, "hosts") },
		"pprof":        func(n *yaml.Node) { d.Pprof = w.yes(n, "pprof") },
		"state":        func(n *yaml.Node) { d.State = d.path(w, n, "state") },
		"figures":      func(n *yaml.Node) { d.NoFigures = w.choice(n, "figures", "true", "false").Value == "false" },
		"icons":        func(n *yaml.Node) { d.Icons = w.yes(n, "icons") },
		"places":       func(n *yaml.Node) { d.Places = w.places(n) },
		"accounts":     func(n *yaml.Node) { accounts = n },
		"keep":         func(n *yaml.Node) { d.Keep.read(w, n) },
		"database":     func(n *yaml.Node) { d.Database.read(w, n, "database", "ADSYNC_DATABASE") },
		"address":      func(n *yaml.Node) { d.Address = w.address(n) },
		"alive":        func(n *yaml.Node) { d.Alive.read(w, n) },
		"people":       func(n *yaml.Node) { people = readPeople(w, n, &d.Access) },
		"tokens":       func(n *yaml.Node) { d.Access.machines(w, n) },
		"login":        func(n *yaml.Node) { d.Access.login(w, n) },
		"mail":         func(n *yaml.Node) { one := readMail(w, n); server = &one },
		"reports":      func(n *yaml.Node) { reports = readReports(w, n) },
	}
	for name, read := range d.timing(w, &defaults) {
		readers[name] = read
	}
	readers["write_back"] = func(n *yaml.Node) { defaults.WriteBack = w.yes(n, "write_back") }
	w.fields(node, "the daemon's configuration", readers)
	if accounts != nil {
		d.readAccounts(w, accounts, defaults)
	}
	d.addressed(w, people, server)
	d.scheduled(w, reports, people, server)
	d.allowed(w)
}

// timing reads what stands both for all accounts and for one.
func (d *Daemon) timing(w *settingReader, a *DaemonAccount) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"every":    func(n *yaml.Node) { w.duration(n, "every", &a.Every, time.Second, 24*time.Hour) },
		"full":     func(n *yaml.Node) { w.duration(n, "full", &a.Full, time.Minute, 24*time.Hour) },
		"settle":   func(n *yaml.Node) { w.duration(n, "settle", &a.Settle, 10*time.Millisecond, time.Hour) },
		"apply":    func(n *yaml.Node) { a.PlanOnly = w.choice(n, "apply", "auto", "plan").Value == "plan" },
		"notify":   func(n *yaml.Node) { a.Notify = readNotify(w, n) },
		"pace":     func(n *yaml.Node) { a.Pace.read(w, n) },
		"operator": func(n *yaml.Node) { a.Operator = d.path(w, n, "operator") },
	}
}

const days = 24 * time.Hour

// read reads how long things are kept. Approvals count with the names they were given
// under, for 30 days at most.
func (k *Keep) read(w *settingReader, node *yaml.Node) {
	w.fields(node, "keep", map[string]func(*yaml.Node){
		"people":  func(n *yaml.Node) { w.days(n, "keep.people", &k.People, 31*days, 10_000*days) },
		"results": func(n *yaml.Node) { w.days(n, "keep.results", &k.Results, days, 10_000*days) },
		"uploads": func(n *yaml.Node) { w.duration(n, "keep.uploads", &k.Uploads, time.Minute, 24*time.Hour) },
	})
}

// days reads a number of days, such as 400d.
func (w *settingReader) days(node *yaml.Node, where string, to *time.Duration, least, most time.Duration) {
	value := w.setting(node, where).Value
	number, ends := strings.CutSuffix(value, "d")
	n, err := strconv.ParseUint(number, 10, 16)
	if d := time.Duration(n) * days; err != nil || !ends || d < least || d > most {
		w.Report(node, diag.BadProject,
			fmt.Sprintf("%s is %q; want days from %dd to %dd", where, value, least/days, most/days), "for example 400d")
		return
	}
	*to = time.Duration(n) * days
}

func (a *Alive) read(w *settingReader, node *yaml.Node) {
	a.Every = 5 * time.Minute
	problems := len(w.Problems)
	w.fields(node, "alive", map[string]func(*yaml.Node){
		"url":   func(n *yaml.Node) { a.URL.read(w, n, "alive.url", "ALIVE_URL") },
		"every": func(n *yaml.Node) { w.duration(n, "alive.every", &a.Every, 10*time.Second, 24*time.Hour) },
	})
	if len(w.Problems) == problems && a.URL.From == "" {
		w.Report(node, diag.BadProject, "alive has no url; want where its address is",
			"for example alive: {url: {env: ALIVE_URL}, every: 5m}")
	}
}

func (d *Daemon) readTLS(w *settingReader, node *yaml.Node) {
	w.fields(node, "tls", map[string]func(*yaml.Node){
		"cert": func(n *yaml.Node) { d.Cert = Setting{d.path(w, n, "tls.cert"), w.At(n)} },
		"key":  func(n *yaml.Node) { d.Key = Setting{d.path(w, n, "tls.key"), w.At(n)} },
	})
	if (d.Cert.Value == "") != (d.Key.Value == "") {
		w.Report(node, diag.BadProject, "tls has one of cert and key; want both", "")
	}
}

// accountName is what stands in addresses of the page and the webhook. A network address is called likewise.
var accountName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (d *Daemon) readAccounts(w *settingReader, node *yaml.Node, defaults DaemonAccount) {
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, "accounts is "+yamlnode.ShapeOf(node)+"; want a list",
			"for example - {name: shop, folder: /srv/ads/shop}")
		return
	}
	first, at, results := map[string]diag.Position{}, map[string]string{}, map[string]string{}
	for _, entry := range node.Content {
		a := defaults
		problems := len(w.Problems)
		d.readAccount(w, entry, &a)
		if len(w.Problems) > problems {
			continue
		}
		if before, twice := first[a.Name.Value]; twice {
			w.Report(entry, diag.Duplicate, fmt.Sprintf("account %q is "+
				"named twice, first in line %d; want each name once", a.Name.Value, before.Line()), "")
			continue
		}
		home := a.home(d.State)
		if before, twice := at[home]; twice {
			w.Report(entry, diag.Duplicate, fmt.Sprintf("accounts %q and %q have one state, "+
				"in %s; want each in a place of its own: an account has one daemon", before, a.Name.Value, home), "")
			continue
		}
		folder := filepath.Clean(a.Results)
		if before, twice := results[folder]; twice && a.Results != "" {
			message := fmt.Sprintf("accounts %q and %q have one results folder, %s; want one for each",
				before, a.Name.Value, a.Results)
			w.Report(entry, diag.Duplicate, message, "name a folder below it for each")
			continue
		}
		first[a.Name.Value], at[home], results[folder] = a.Name.Position, a.Name.Value, a.Name.Value
		d.Accounts = append(d.Accounts, a)
	}
}

func (d *Daemon) readAccount(w *settingReader, node *yaml.Node, a *DaemonAccount) {
	readers := d.timing(w, a)
	readers["name"] = func(n *yaml.Node) { a.Name = w.setting(n, "name") }
	readers["id"] = func(n *yaml.Node) { a.ID = w.setting(n, "id") }
	readers["folder"] = func(n *yaml.Node) { a.Folder = d.path(w, n, "folder") }
	readers["git"] = func(n *yaml.Node) { a.Git.read(w, n) }
	readers["state"] = func(n *yaml.Node) { a.State = d.path(w, n, "state") }
	readers["results"] = func(n *yaml.Node) { a.Results = d.path(w, n, "results") }
	said := false
	readers["write_back"] = func(n *yaml.Node) { a.WriteBack, said = w.yes(n, "write_back"), true }
	readers["uploads"] = func(n *yaml.Node) { a.Uploads = w.setting(n, "uploads") }
	readers["push_results"] = func(n *yaml.Node) { a.Answers = w.setting(n, "push_results") }
	readers["propose_drift"] = func(n *yaml.Node) { a.Proposes = w.yes(n, "propose_drift") }
	readers["pull_requests"] = func(n *yaml.Node) { a.Pulls.read(w, n) }
	readers["webhook"] = func(n *yaml.Node) {
		w.fields(n, "webhook", map[string]func(*yaml.Node){"secret": func(n *yaml.Node) {
			a.Webhook.read(w, n, "webhook.secret", "WEBHOOK_SECRET")
		}})
	}
	w.fields(node, "an account", readers)
	if node.Kind != yaml.MappingNode {
		return
	}
	a.WriteBack = a.WriteBack && (said || a.Folder != "") // what holds for all is of those with files
	if lacks := a.lacks(d.State); lacks != "" {
		w.Report(node, diag.BadProject, lacks, "for example {name: shop, folder: /srv/ads/shop}")
	}
}

// home is where the state of an account lies, or what stands for it.
func (a *DaemonAccount) home(states string) string {
	return filepath.Clean(cmp.Or(a.Folder, a.State, filepath.Join(states, a.Name.Value)))
}

// ownBranch is a branch below adsync's own prefix.
var ownBranch = pattern.Of(`^adsync/[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$`)

// lacks returns what an account must say and does not.
func (a *DaemonAccount) lacks(states string) string {
	switch {
	case !accountName.MatchString(a.Name.Value):
		return fmt.Sprintf("an account has the name "+
			"%q; want letters, digits, points, hyphens and underscores, 64 at most", a.Name.Value)
	case (a.Folder == "") == (a.Git.URL.Value == ""):
		return fmt.Sprintf("account %q has not one of folder and git; want where its files are", a.Name.Value)
	case a.Git.URL.Value != "" && cmp.Or(a.State, states) == "":
		return fmt.Sprintf("account %q is read from git and has no state; want a folder for adsync's own record",
			a.Name.Value)
	case a.Folder != "" && (a.Answers.Value != "" || a.Proposes || a.Pulls.Forge.Value != ""):
		return fmt.Sprintf("account %q has a folder and push_results, "+
			"propose_drift or pull_requests; these are of commits, and want git", a.Name.Value)
	case a.Folder != "" && a.Uploads.Value == uploadsInFolder:
	case a.Folder != "" && a.Uploads.Value != "":
		return fmt.Sprintf("account %q has a folder and uploads: %q; want folder, as branches are of git",
			a.Name.Value, a.Uploads.Value)
	case a.Pulls.Before && a.Git.Signers.Value != "":
		return fmt.Sprintf("account %q has git.signers, and pull_requests.apply is before-merge; a merge that is not "+
			"made yet is signed by nobody: want on-merge", a.Name.Value)
	case a.Folder == "" && a.WriteBack:
		return fmt.Sprintf("account %q is read from git and has write_back; "+
			"a commit is not written into; propose_results of pull_requests proposes the results", a.Name.Value)
	case a.Folder != "" && a.State != "":
		return fmt.Sprintf("account %q has a folder and a state; a folder's state is what its adsync.yaml says",
			a.Name.Value)
	}
	uploads := a.Uploads.Value
	if a.Folder != "" {
		uploads = ""
	}
	return cmp.Or(a.misses("uploads", uploads), a.misses("push_results", a.Answers.Value))
}

// uploadsInFolder has files that are dropped in the page put into the account's folder.
const uploadsInFolder = "folder"

// misses returns why a branch is none to write to: one below adsync's prefix, and never
// the one that is read.
func (a *DaemonAccount) misses(key, branch string) string {
	switch {
	case branch == "":
		return ""
	case !ownBranch.MatchString(branch):
		return fmt.Sprintf("account %q has %s: %q; want a branch below adsync/, such as adsync/%s",
			a.Name.Value, key, branch, map[string]string{"uploads": "uploads", "push_results": "results"}[key])
	case branch == strings.TrimPrefix(a.Git.Ref.Value, "refs/heads/"):
		return fmt.Sprintf("account %q has %s to %q, which is the branch it reads; want another, that somebody merges",
			a.Name.Value, key, branch)
	}
	return ""
}

// path reads a path, which is relative to the configuration's folder.
func (d *Daemon) path(w *settingReader, node *yaml.Node, where string) string {
	value := w.setting(node, where).Value
	if value == "" || filepath.IsAbs(value) {
		return value
	}
	whole, err := filepath.Abs(filepath.Join(filepath.Dir(d.File), value))
	if err != nil {
		w.Report(node, diag.BadProject, where+": "+bounded.Reason(err), "")
	}
	return whole
}

func (w *settingReader) yes(node *yaml.Node, where string) bool {
	return w.choice(node, where, "true", "false").Value == "true"
}

// IsAddressName reports whether a network address may be called so.
func IsAddressName(name string) bool { return accountName.MatchString(name) }

// WantAddressName is how one is called.
const WantAddressName = "a name of letters, digits, points, hyphens and underscores, 64 at most"

func (w *settingReader) address(node *yaml.Node) Setting {
	name := w.setting(node, "address")
	if !IsAddressName(name.Value) {
		w.Report(node, diag.BadProject, fmt.Sprintf("address is %q; want %s", name.Value, WantAddressName),
			"for example address: gateway-1, the same for all daemons whose requests leave from there")
	}
	return name
}

func (w *settingReader) places(node *yaml.Node) int {
	value, n := w.setting(node, "places").Value, 0
	if _, err := fmt.Sscanf(value, "%d", &n); err != nil || fmt.Sprint(n) != value || n < 1 || n > 1000 {
		w.Report(node, diag.BadProject,
			fmt.Sprintf("places is %q; want how many runs may compute at once, 1 to 1000", value), "")
	}
	return n
}

// duration reads a time as Go writes it.
func (w *settingReader) duration(node *yaml.Node, where string, to *time.Duration, least, most time.Duration) {
	value := w.setting(node, where).Value
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		w.Report(node, diag.BadProject,
			fmt.Sprintf("%s is %q; want a time from %s to %s, such as 1m30s", where, value, least, most), "")
		return
	}
	*to = d
}
