// Package config reads adsync.yaml and the files of the operator: settings, never rows.
// project.go is the project, operator.go and policy.go what the operator says, daemon.go the daemon's
// configuration, layout.go the columns and sheets of the user's own, keys.go who may loosen what.
//
// A key nobody knows is a problem, and a credential or an address in a shared file is refused.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/policy"
	"adsync/internal/public"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// ProjectFile is the name of a project's own file, beside its sources.
const ProjectFile = "adsync.yaml"

// Account is the ad account the files belong to, as adsync.yaml declares it.
type Account struct{ ID, Currency, TimeZone string }

// Project is a folder of sources and what its adsync.yaml says. It holds no
// credential and no address: they are the operator's (design.md section 6).
type Project struct {
	Root    string // folder
	File    string // name of the project file in Root, "" where there is none
	Account Account
	Sources []string // include globs, relative to Root; `**` stands for any folders
	Service string   // "" or "emulator"
	State   string   // folder of adsync's own state, relative to Root
	Home    string   // where the state is instead, for a project of a commit, whose folder goes away; "" for State
	Bulk    Bulk
	Publish Setting // what workbooks that do not say ready are: policy.Publish
	Policy  Policy
	Ignore  []Ignoring
	Moved   []Moving  // keys that were changed
	Domains []Setting // where landing pages may be; empty for anywhere
	// how many of a kind the account may have, where that is not what a self-serve account may
	Limits map[resource.Kind]int

	Former func() []Former // what the record calls its resources, asked where no source has a name; nil for nothing
	// reports whether nothing was applied from these files so far, asked where no source has a row; nil for no
	Unused func() bool

	Kept    Kept     // the last ready versions of files; nil: a draft counts as if it were ready
	AsReady []string // files that count as if they were ready, by their slash paths

	Reach     *public.Reach   // what the operator lets through beside the public internet; nil for nothing
	Layout    Layout          // the user's own columns, and sheets of other names
	SourcesAt []diag.Position // where each of Sources is written; empty for the defaults
	Bounds    *bounded.Limits // nil for the defaults
	stateAt   diag.Position   // where State is written; zero for the default
	serviceAt diag.Position   // where Service is written
	Stop      string          // a file STOP in that commit, "" for none
	At        *Commit         // the commit it was read from, nil for files of a folder
	resolved  string          // what Root was when the project was read, "" where it was not
}

// Folder is the folder every file of one reading comes from. Root may be a
// symbolic link that is put on another folder at any time, as a mounted
// ConfigMap's is; it is followed once, so that no reading is of two folders
// (fault F6).
func (p Project) Folder() string { return cmp.Or(p.resolved, p.Root) }

// StateFolder is the folder of adsync's own state.
func (p Project) StateFolder() string {
	return cmp.Or(p.Home, filepath.Join(p.Root, filepath.FromSlash(p.State)))
}

// Setting is one value of the project file; the zero Setting is not written.
type Setting struct {
	Value    string
	Position diag.Position
}

// DefaultSources are the globs of a project that names none.
var DefaultSources = []string{"**/*.yaml", "**/*.yml", "**/*.xlsx", "**/*.csv", "**/*.tsv"}

// ReadProject reads the project of a folder, given as the folder or as the path
// of its adsync.yaml. A folder without one is a project with defaults.
func ReadProject(dir string) (Project, []diag.Problem) {
	p := Project{Root: filepath.Clean(dir), Sources: DefaultSources, State: UsualState}
	name := ProjectFile
	if about, err := os.Stat(dir); err == nil && about.Mode().IsRegular() {
		p.Root, name = filepath.Dir(p.Root), filepath.Base(p.Root)
	}
	p.resolved, _ = filepath.EvalSymlinks(p.Root)
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return p, []diag.Problem{{Severity: diag.Error, Code: diag.Unreadable,
			Message: fmt.Sprintf("folder %q cannot be opened; want a folder with sources", p.Root),
			Hint:    bounded.Reason(err)}}
	}
	defer root.Close()
	content, _, err := bounded.ReadRegular(root, name, bounded.MiB)
	if errors.Is(err, fs.ErrNotExist) && name == ProjectFile {
		return p, nil
	}
	p.File = name
	if err != nil {
		return p, []diag.Problem{bounded.ProblemAt(diag.InFile(name), bounded.Unreadable(err))}
	}
	return p, append(p.Read(content), bounded.SecretsIn(name, content)...)
}

// Env is what canonical values depend on. An account that is not declared has
// no currency and counts days in UTC.
func (p Project) Env() (resource.Env, error) {
	zone, err := ZoneOf(p.Account.TimeZone)
	if err != nil {
		return resource.Env{}, fmt.Errorf("account.timezone is %q; want an IANA name such as Europe/Paris",
			p.Account.TimeZone)
	}
	return resource.Env{Currency: p.Account.Currency, Zone: zone}, nil
}

// ZoneOf refuses Local: what the files mean must not depend on the machine.
func ZoneOf(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, errors.New("local time")
	}
	return time.LoadLocation(name)
}

// Read reads the settings of the file.
func (p *Project) Read(content []byte) []diag.Problem {
	w := &settingReader{yamlnode.Walker{Origin: diag.OriginOf(p.File, "")}}
	if finding := bounded.BrokenText(content, w.Origin.File()); finding != nil {
		return []diag.Problem{*finding}
	}
	for i, document := range w.Documents(content) {
		if i > 0 {
			w.Report(document, diag.BadProject, "a second document; want one in adsync.yaml", "")
			continue
		}
		if w.Sound(document, bounded.Defaults().YAMLDepth) {
			p.readDocument(w, document)
		}
	}
	return w.Problems
}

func (p *Project) readDocument(w *settingReader, document *yaml.Node) {
	w.fields(document, "adsync.yaml", map[string]func(*yaml.Node){
		"account":     func(n *yaml.Node) { p.readAccount(w, n) },
		"sources":     func(n *yaml.Node) { p.readSources(w, n) },
		"service":     func(n *yaml.Node) { p.readService(w, n) },
		"state":       func(n *yaml.Node) { p.readState(w, n) },
		"bulk":        func(n *yaml.Node) { p.Bulk.read(w, n) },
		"publish":     func(n *yaml.Node) { p.Publish = choiceSetting(w, n, policy.Publish) },
		"policy":      func(n *yaml.Node) { p.Policy.read(w, n) },
		"domains":     func(n *yaml.Node) { p.readDomains(w, n) },
		"moved":       func(n *yaml.Node) { p.readMoved(w, n) },
		"ignore":      func(n *yaml.Node) { p.readIgnore(w, n) },
		"own_columns": func(n *yaml.Node) { p.readOwnColumns(w, n) },
		"sheets":      func(n *yaml.Node) { p.readSheets(w, n) },
	})
}

var CurrencyCode = pattern.Of(`^[A-Z]{3}$`)

func (p *Project) readAccount(w *settingReader, node *yaml.Node) {
	w.fields(node, "account", map[string]func(*yaml.Node){
		"id": func(n *yaml.Node) {
			p.Account.ID = w.setting(n, "account.id").Value
			p.Layout.Account = p.Account.ID
		},
		"currency": func(n *yaml.Node) {
			p.Account.Currency = w.setting(n, "account.currency").Value
			if !CurrencyCode.MatchString(p.Account.Currency) {
				w.Report(n, diag.BadProject, fmt.Sprintf("account.currency "+
					"is %q; want a code of three capital letters such as USD", n.Value), "")
			}
		},
		"timezone": func(n *yaml.Node) {
			p.Account.TimeZone = w.setting(n, "account.timezone").Value
			if _, err := ZoneOf(p.Account.TimeZone); err != nil || p.Account.TimeZone == "" {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("account.timezone is %q; want an IANA name such as Europe/Paris", n.Value), "")
			}
		},
		"limits": func(n *yaml.Node) { p.readLimits(w, n) },
	})
}

func (p *Project) readSources(w *settingReader, node *yaml.Node) {
	p.Sources = nil
	for _, glob := range w.settings(node, "sources") {
		if _, err := bounded.NewGlob(glob.Value); err != nil {
			w.Problems = append(w.Problems, bounded.ProblemAt(glob.Position, resource.Finding{
				Code: diag.BadProject, Message: fmt.Sprintf("sources has %q; want "+
					"a path below the project's folder such as ads/**/*.yaml", glob.Value), Hint: err.Error()}))
			continue
		}
		p.Sources = append(p.Sources, glob.Value)
		p.SourcesAt = append(p.SourcesAt, glob.Position)
	}
	if len(node.Content) == 0 {
		w.Report(node, diag.BadProject, "sources names no file; want a list of paths or globs",
			"leave sources out to read every .yaml, .yml and .xlsx file")
	}
}

// readService takes the one address a watched file may name. Its value is not
// repeated: an address can hold a password.
func (p *Project) readService(w *settingReader, node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.Value == "emulator" {
		p.Service, p.serviceAt = node.Value, w.At(node)
		return
	}
	w.reportUnseen(node, "service names an address; want emulator, or no service at all", operatorSide)
}

const operatorSide = "the address and the key of the service are the operator's: set ADSYNC_BASE_URL and ADSYNC_API_KEY"

func (p *Project) readState(w *settingReader, node *yaml.Node) {
	if state := w.stateFolder(node); state.Value != "" {
		p.State, p.stateAt = state.Value, state.Position
	}
}

// FileLimits returns the bounds the operator set, else the defaults.
func (p Project) FileLimits() bounded.Limits {
	if p.Bounds != nil {
		return *p.Bounds
	}
	return bounded.Defaults()
}

// Commit is a folder of a commit in a repository that needs no work tree, such
// as a bare store that was fetched into.
type Commit struct {
	Repository string // folder of the repository
	Path       string // slash path from its top to the project, "." at the top
	Hash       string // full
}

// Former is what a resource was called before: the record knows it.
type Former struct {
	Address resource.Address
	ID      string
	Name    string
}
