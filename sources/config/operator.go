package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/policy"
	"adsync/sources/bounded"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Operator is what the operator's file says: where the service is, where its key
// lies, and how much may happen. It stands outside of what is watched, so it may
// loosen what adsync.yaml may only tighten (design.md section 6). It holds no
// key itself.
type Operator struct {
	File    string // "" where there is none
	BaseURL Setting
	Key     KeyReference
	OAuth   OAuth // a login, in the place of Key
	Policy  Policy
	Allow   []Standing
	Git     Git
	State   Setting // folder of adsync's own state, from the project's folder
	// StateBranch is the branch with the state, in the place of a folder.
	StateBranch StateBranch
	// Database is where the address of the database is that holds the states, in the place of folders.
	Database KeyReference
	Bulk     Bulk
	Publish  Setting
	// EventsURL is where conversion events are sent, by EventsKey, which is not the key of the account.
	EventsURL Setting
	EventsKey KeyReference
	Reach     []Setting // what files may name and adsync may fetch beside the public internet

	accounts map[string]*Operator
}

// KeyReference says where a key is: the name of an environment variable, a file,
// or a command that prints it.
type KeyReference struct {
	From    string // env, file or command; "" where nothing is said
	Setting        // the name, the path or the command
}

// Standing is an allowance that is given beforehand: for one plan, or until a
// day.
type Standing struct {
	Allow    string // as --allow takes it
	Plan     string // hash of the one plan it is for, "" for every plan
	Until    string // last day, YYYY-MM-DD; "" only with Plan
	Owner    string
	Reason   string
	Position diag.Position
}

// ReadOperator reads an operator's file and puts what its section of the account
// says in place of what it says for all.
func ReadOperator(file, account string) (Operator, []diag.Problem) {
	o := Operator{File: file}
	w := &settingReader{yamlnode.Walker{Origin: diag.OriginOf(file, "")}}
	if problem := w.ownFile(file, "the operator's file",
		func(document *yaml.Node) { o.read(w, document, true) }); problem != nil {
		return o, []diag.Problem{*problem}
	}
	o.take(o.accounts[account])
	return o, w.Problems
}

// ownFile reads a file of the operator's, what is its name for people: one
// document that nobody else on the machine may write.
func (w *settingReader) ownFile(file, what string, read func(document *yaml.Node)) *diag.Problem {
	refuse := func(message string) *diag.Problem {
		return &diag.Problem{Severity: diag.Error, Code: diag.BadProject, Position: diag.InFile(file), Message: message}
	}
	about, err := os.Stat(file)
	if err == nil && about.Mode().Perm()&0o002 != 0 {
		return refuse("everybody on this machine may write " + what + "; want it writable by its owner alone")
	}
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return refuse(what + " cannot be read: " + bounded.Reason(err))
	}
	defer root.Close()
	content, _, err := bounded.ReadRegular(root, filepath.Base(file), bounded.MiB)
	if err != nil {
		return refuse(what + " cannot be read: " + bounded.Reason(err))
	}
	if finding := bounded.BrokenText(content, w.Origin.File()); finding != nil {
		return finding
	}
	for i, document := range w.Documents(content) {
		switch {
		case i > 0:
			w.reportUnseen(document, "a second document; want one", "")
		case w.Sound(document, bounded.Defaults().YAMLDepth):
			read(document)
		}
	}
	return nil
}

func (o *Operator) read(w *settingReader, node *yaml.Node, top bool) {
	readers := map[string]func(*yaml.Node){
		"base_url":    func(n *yaml.Node) { o.BaseURL = w.setting(n, "base_url") },
		"credentials": func(n *yaml.Node) { o.readKey(w, n) },
		"policy":      func(n *yaml.Node) { o.Policy.read(w, n) },
		"allow":       func(n *yaml.Node) { o.readAllow(w, n) },
		"git":         func(n *yaml.Node) { o.Git.read(w, n) },
		"state":       func(n *yaml.Node) { o.readState(w, n) },
		"database":    func(n *yaml.Node) { o.Database.read(w, n, "database", "ADSYNC_DATABASE") },
		"bulk":        func(n *yaml.Node) { o.Bulk.read(w, n) },
		"publish":     func(n *yaml.Node) { o.Publish = choiceSetting(w, n, policy.Publish) },
		"events_url":  func(n *yaml.Node) { o.EventsURL = w.eventsURL(n) },
		"events_credentials": func(n *yaml.Node) {
			o.EventsKey.read(w, n, "events_credentials", "EVENTS_KEY")
		},
		"reach": func(n *yaml.Node) { o.readReach(w, n) },
	}
	if top {
		readers["accounts"] = func(n *yaml.Node) { o.readAccounts(w, n) }
	}
	w.fields(node, "the operator's file", readers)
}

func (o *Operator) readAccounts(w *settingReader, node *yaml.Node) {
	o.accounts = map[string]*Operator{}
	if node.Kind != yaml.MappingNode {
		w.Report(node, diag.BadProject, "accounts is "+yamlnode.ShapeOf(node)+"; want a mapping of account ids", "")
		return
	}
	for key, value := range w.Entries(node) {
		section := &Operator{}
		section.read(w, value, false)
		o.accounts[key.Value] = section
	}
}

// keyForms are the ways to say where a key is. A key itself is never one.
var keyForms = []string{"command", "env", "file"}

func (o *Operator) readKey(w *settingReader, node *yaml.Node) {
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "oauth" {
		o.OAuth.read(w, node.Content[1])
		return
	}
	o.Key.read(w, node, "credentials", "ADS_KEY")
}

// read takes where a key is; example is a variable that may hold it.
func (r *KeyReference) read(w *settingReader, node *yaml.Node, name, example string) {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		w.reportUnseen(node, name+" holds something else than where the key is; want one of env, file and command, "+
			"such as {env: "+example+"}", "no key stands in a file of adsync: name a variable, a file or a command")
		return
	}
	readers := map[string]func(*yaml.Node){}
	for _, form := range keyForms {
		readers[form] = func(n *yaml.Node) {
			if *r = (KeyReference{form, w.setting(n, name+"."+form)}); form == "file" {
				r.Setting = w.beside(r.Setting)
			}
		}
	}
	w.fields(node, name, readers)
}

// beside returns a path that an operator's file names: it is relative to the folder of
// that file.
func (w *settingReader) beside(s Setting) Setting {
	if s.Value != "" && !filepath.IsAbs(s.Value) {
		s.Value = filepath.Join(filepath.Dir(w.Origin.File()), s.Value)
	}
	return s
}

func (o *Operator) readAllow(w *settingReader, node *yaml.Node) {
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, "allow is "+yamlnode.ShapeOf(node)+"; want a list", "")
		return
	}
	for _, entry := range node.Content {
		s := Standing{Position: w.At(entry)}
		text := func(to *string, where string) func(*yaml.Node) {
			return func(n *yaml.Node) { *to = w.setting(n, "allow."+where).Value }
		}
		problems := len(w.Problems)
		w.fields(entry, "allow", map[string]func(*yaml.Node){
			"allow": text(&s.Allow, "allow"), "plan": text(&s.Plan, "plan"), "until": text(&s.Until, "until"),
			"owner": text(&s.Owner, "owner"), "reason": text(&s.Reason, "reason"),
		})
		if len(w.Problems) > problems {
			continue
		}
		if lacks := s.lacks(); lacks != "" {
			w.Report(entry, diag.BadProject, "an allowance "+lacks,
				"for example {allow: raises-spend=campaign/x, until: 2026-12-01, owner: Ann, reason: the sale}")
			continue
		}
		o.Allow = append(o.Allow, s)
	}
}

// lacks returns what an allowance that is given beforehand must say and does not.
func (s *Standing) lacks() string {
	_, err := time.Parse(time.DateOnly, s.Until)
	switch {
	case s.Allow == "":
		return "allows nothing; want allow"
	case s.Plan == "" && s.Until == "":
		return "has no end; want until, a last day, or plan, the hash of the one plan it is for"
	case s.Until != "" && err != nil:
		return fmt.Sprintf("holds until %q; want a last day such as 2026-12-01", s.Until)
	case s.Owner == "" || s.Reason == "":
		return "has no owner or no reason; want both"
	}
	return ""
}

// take puts what a section says in place of what is said for all. Freeze windows
// and allowances of both hold.
func (o *Operator) take(section *Operator) {
	if section == nil {
		return
	}
	if section.BaseURL.Value != "" {
		o.BaseURL = section.BaseURL
	}
	if section.Key.From != "" || section.OAuth.ClientID.Value != "" {
		o.Key, o.OAuth = section.Key, section.OAuth
	}
	if section.Git.URL.Value != "" {
		o.Git = section.Git
	}
	if section.State.Value != "" || section.StateBranch.Name.Value != "" {
		o.State, o.StateBranch = section.State, section.StateBranch
	}
	if section.Database.From != "" {
		o.Database = section.Database
	}
	if section.EventsURL.Value != "" {
		o.EventsURL = section.EventsURL
	}
	if section.EventsKey.From != "" {
		o.EventsKey = section.EventsKey
	}
	if len(section.Reach) > 0 {
		o.Reach = section.Reach
	}
	if section.Publish.Value != "" {
		o.Publish = section.Publish
	}
	o.Bulk.take(section.Bulk)
	o.Policy.take(section.Policy)
	o.Allow = append(o.Allow, section.Allow...)
}

// ByAccount reports whether the file says something of single accounts.
func (o Operator) ByAccount() bool { return len(o.accounts) > 0 }

// ErrWatched says that an operator's file lies among what it guards.
var ErrWatched = errors.New("lies in the folder " +
	"it guards; want it outside, where a change of the files cannot loosen it")

// Outside refuses an operator's file within a project's folder, wherever links
// lead. A project of a state alone has no files that could be watched.
func (p Project) Outside(file string) error {
	if p.Home != "" && p.Folder() == "" {
		return nil
	}
	whole, err := filepath.EvalSymlinks(file)
	if err != nil {
		return errors.New(bounded.Reason(err))
	}
	root, err := filepath.Abs(p.Folder())
	if err != nil {
		return err
	}
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	if whole, err = filepath.Abs(whole); err != nil {
		return err
	}
	if inner, err := filepath.Rel(root, whole); err == nil &&
		inner != ".." && !strings.HasPrefix(inner, ".."+string(filepath.Separator)) {
		return ErrWatched
	}
	return nil
}

// take puts what another policy says in place of this one's.
func (p *Policy) take(other Policy) {
	if other.Drift.Value != "" {
		p.Drift = other.Drift
	}
	if other.Prune.Value != "" {
		p.Prune = other.Prune
	}
	p.DriftOf, p.PruneOf = joined(p.DriftOf, other.DriftOf), joined(p.PruneOf, other.PruneOf)
	if other.SavedPlanMinutes.Value != "" {
		p.SavedPlanMinutes = other.SavedPlanMinutes
	}
	for _, v := range other.Limits {
		p.Limits = append(without(p.Limits, v.Setting.Name), v)
	}
	p.Freeze = append(p.Freeze, other.Freeze...)
}

func joined(some, others map[string]Setting) map[string]Setting {
	all := maps.Clone(some)
	if all == nil {
		all = map[string]Setting{}
	}
	maps.Copy(all, others)
	return all
}

func without(limits []policy.Value, name string) []policy.Value {
	return slices.DeleteFunc(slices.Clone(limits), func(v policy.Value) bool { return v.Setting.Name == name })
}
