package config

import (
	"fmt"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Moving is an entry of moved in the project file: a key that was changed.
type Moving struct {
	From, To resource.Address
	Position diag.Position
}

// Ignoring is an entry of ignore in the project file: an attribute that is left
// to others for a time.
type Ignoring struct {
	Resource  string // kind and key; a star stands for any text between slashes
	Attribute string
	Owner     string
	Reason    string
	Until     string // last day, YYYY-MM-DD
	Position  diag.Position
}

func (p *Project) readMoved(w *settingReader, node *yaml.Node) {
	for entry := range w.entriesOf(node, "moved") {
		m := Moving{Position: w.At(entry)}
		given := w.texts(entry, "moved", "from", "to")
		if given == nil {
			continue
		}
		for name, to := range map[string]*resource.Address{"from": &m.From, "to": &m.To} {
			address, ok := resource.ParseAddress(given[name])
			if !ok {
				w.Report(entry, diag.BadProject, fmt.Sprintf("moved.%s is "+
					"%q; want an address such as campaign/spring-launch", name, given[name]), "")
				continue
			}
			*to = address
		}
		if !m.From.IsZero() && !m.To.IsZero() {
			p.Moved = append(p.Moved, m)
		}
	}
}

func (p *Project) readIgnore(w *settingReader, node *yaml.Node) {
	for entry := range w.entriesOf(node, "ignore") {
		given := w.texts(entry, "ignore", "resource", "attribute", "owner", "reason", "until")
		if given == nil {
			continue
		}
		if _, err := time.Parse(time.DateOnly, given["until"]); err != nil {
			w.Report(entry, diag.BadProject,
				fmt.Sprintf("ignore.until is %q; want a day such as 2026-12-31", given["until"]), "")
			continue
		}
		p.Ignore = append(p.Ignore, Ignoring{given["resource"],
			given["attribute"], given["owner"], given["reason"], given["until"], w.At(entry)})
	}
}

// entriesOf walks the entries of a list of mappings.
func (w *settingReader) entriesOf(node *yaml.Node, where string) func(func(*yaml.Node) bool) {
	return func(yield func(*yaml.Node) bool) {
		if node.Kind != yaml.SequenceNode {
			w.Report(node, diag.BadProject, where+" is "+yamlnode.ShapeOf(node)+"; want a list", "")
			return
		}
		for _, entry := range node.Content {
			if !yield(entry) {
				return
			}
		}
	}
}

// texts reads a mapping of texts that must all be there; nil where they are not.
func (w *settingReader) texts(node *yaml.Node, where string, names ...string) map[string]string {
	given := map[string]string{}
	readers := map[string]func(*yaml.Node){}
	for _, name := range names {
		readers[name] = func(n *yaml.Node) { given[name] = w.setting(n, where+"."+name).Value }
	}
	w.fields(node, where, readers)
	for _, name := range names {
		if given[name] == "" {
			if node.Kind == yaml.MappingNode {
				w.Report(node, diag.BadProject, where+" has no "+name+"; want one", "")
			}
			return nil
		}
	}
	return given
}
