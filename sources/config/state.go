package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"adsync/internal/diag"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// UsualState is the folder of adsync's own state where nobody names one.
const UsualState = ".adsync"

// stateFolder reads a folder below the project's.
func (w *settingReader) stateFolder(node *yaml.Node) Setting {
	state := w.setting(node, "state")
	if state.Value == "" {
		return state
	}
	if !filepath.IsLocal(filepath.FromSlash(state.Value)) ||
		strings.Contains(state.Value, `\`) || filepath.Clean(state.Value) == "." {
		w.Report(node, diag.BadProject,
			fmt.Sprintf("state is %q; want a folder below the project's, such as %s", state.Value, UsualState), "")
		return Setting{}
	}
	state.Value = filepath.ToSlash(filepath.Clean(state.Value))
	return state
}

// StateBranch is the git branch with the state, for pipelines without a daemon.
type StateBranch struct {
	Name       Setting // below adsync/; zero: the state lies elsewhere
	Repository Setting // zero: where the repository of the files came from
	Key        KeyReference
	Token      KeyReference
}

// readState takes where the state lies: a folder below the project's, or a branch.
func (o *Operator) readState(w *settingReader, node *yaml.Node) {
	if node.Kind != yaml.MappingNode {
		o.State = w.stateFolder(node)
		return
	}
	b := &o.StateBranch
	w.fields(node, "state", map[string]func(*yaml.Node){
		"branch":     func(n *yaml.Node) { b.Name = w.setting(n, "state.branch") },
		"repository": func(n *yaml.Node) { b.Repository = w.setting(n, "state.repository") },
		"key":        func(n *yaml.Node) { b.Key.read(w, n, "state.key", "ADSYNC_STATE_KEY") },
		"token":      func(n *yaml.Node) { b.Token.read(w, n, "state.token", "ADSYNC_STATE_TOKEN") },
	})
	if b.Name.Value == "" {
		w.Report(node, diag.BadProject, "state names no branch; want {branch: adsync/state}, or a folder", "")
	}
}

// ServiceAt is where the project file names the service, zero where it names none.
func (p Project) ServiceAt() diag.Position { return p.serviceAt }

// KeepState puts the state where the operator says. A watched file may repeat
// that, and name no other place: an empty state has forgotten what was raised
// within the day, what is suspended and what was sent (design.md section 6). The
// state of a commit is never below its files.
func (p *Project) KeepState(o Operator) []diag.Problem {
	if p.Home != "" {
		return nil
	}
	written, want := p.State, cmp.Or(o.State.Value, UsualState)
	p.State = want
	if written == want || p.stateAt.IsZero() {
		return nil
	}
	problem := diag.Problem{Severity: diag.Error, Code: diag.BadProject, Position: p.stateAt}
	if o.State.Value == "" {
		problem.Message = fmt.Sprintf("state is %q, and the operator's file names no state; want %s, or no state here",
			written, UsualState)
		problem.Hint = fmt.Sprintf("if adsync's record lies there, write `state: %s` into the operator's "+
			"file; a file that is reviewed with the campaigns must not put another record in its place", written)
		return []diag.Problem{problem}
	}
	problem.Message = fmt.Sprintf("state is %q, and the operator's file says %q (%s); want that, or no state here",
		written, want, o.State.Position)
	return []diag.Problem{problem}
}
