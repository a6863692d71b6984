package config

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/policy"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Bulk is how bulk jobs are used, as a file says it.
type Bulk struct {
	RepeatParent Setting
	Rehearse     Setting
}

func (b *Bulk) read(w *settingReader, node *yaml.Node) {
	w.fields(node, "bulk", map[string]func(*yaml.Node){
		"repeat_parent": func(n *yaml.Node) { b.RepeatParent = choiceSetting(w, n, policy.RepeatParent) },
		"rehearse":      func(n *yaml.Node) { b.Rehearse = choiceSetting(w, n, policy.Rehearse) },
	})
}

// take puts what another file or section says in place of this one's.
func (b *Bulk) take(other Bulk) {
	if other.RepeatParent.Value != "" {
		b.RepeatParent = other.RepeatParent
	}
	if other.Rehearse.Value != "" {
		b.Rehearse = other.Rehearse
	}
}

func choiceSetting(w *settingReader, node *yaml.Node, c policy.Choice) Setting {
	s := w.setting(node, c.Name)
	if words := c.Words(); s.Value != "" && !slices.Contains(words, s.Value) {
		message := fmt.Sprintf("%s is %q; want %s", c.Name, diag.Printable(s.Value), strings.Join(words, " or "))
		w.Report(node, diag.BadProject, message, diag.DidYouMean(s.Value, words))
		return Setting{}
	}
	return s
}
