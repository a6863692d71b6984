package config

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/public"
	"adsync/internal/resource"
	"adsync/sources/bounded"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// readReach reads what the operator lets through beside the public internet.
func (o *Operator) readReach(w *settingReader, node *yaml.Node) {
	for _, entry := range w.settings(node, "reach") {
		if err := new(public.Reach).Add(entry.Value); err != nil {
			w.Problems = append(w.Problems, bounded.ProblemAt(entry.Position,
				resource.Finding{Code: diag.BadProject, Message: fmt.Sprintf("reach: %v", err)}))
			continue
		}
		o.Reach = append(o.Reach, entry)
	}
}

// Reachable returns what the operator's list lets through.
func (o Operator) Reachable() *public.Reach {
	r := new(public.Reach)
	for _, entry := range o.Reach {
		_ = r.Add(entry.Value) // readReach has held it
	}
	return r
}
