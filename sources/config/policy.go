package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/policy"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Policy is a policy as a file says it: adsync.yaml, or the operator's. It holds
// no allowances: what is watched never loosens a guard (design.md section 6).
type Policy struct {
	Drift   Setting            // report or revert
	DriftOf map[string]Setting // by attribute
	Prune   Setting            // keep, pause or archive
	PruneOf map[string]Setting // by kind
	Invalid Setting            // hold or stop

	Approvals   Setting            // anybody or not-author
	ApprovalsOf map[string]Setting // by group of hazards
	Limits      []policy.Value
	Freeze      []policy.Window

	SavedPlanMinutes Setting // how long a saved plan may wait: 1 to 30
}

func (p *Policy) read(w *settingReader, node *yaml.Node) {
	readers := p.limitReaders(w)
	readers["drift"] = func(n *yaml.Node) { p.Drift, p.DriftOf = w.choices(n, policy.Drift) }
	readers["prune"] = func(n *yaml.Node) { p.Prune, p.PruneOf = w.choices(n, policy.Prune) }
	readers["approvals"] = func(n *yaml.Node) { p.Approvals, p.ApprovalsOf = w.choices(n, policy.Approvals) }
	readers["invalid"] = func(n *yaml.Node) { p.Invalid = w.choice(n, policy.Invalid.Name, policy.Invalid.Words()...) }
	readers["saved_plan_minutes"] = func(n *yaml.Node) { p.readMinutes(w, n) }
	readers["freeze"] = func(n *yaml.Node) { p.readFreeze(w, n) }
	readers["allow"] = func(n *yaml.Node) {
		w.Report(n, diag.BadProject, "policy.allow stands in a watched file; want allowances from who applies",
			"use apply --allow, or allow "+
				"at the top of the operator's file; a file that is reviewed with the campaigns must not loosen a guard")
	}
	w.fields(node, "policy", readers)
}

// limitReaders returns a reader for each limit, and one for each group of them.
func (p *Policy) limitReaders(w *settingReader) map[string]func(*yaml.Node) {
	readers, groups := map[string]func(*yaml.Node){}, map[string]map[string]func(*yaml.Node){}
	for _, s := range policy.Settings() {
		group, name, grouped := strings.Cut(s.Name, ".")
		read := func(n *yaml.Node) { p.readLimit(w, n, s) }
		if !grouped {
			readers[s.Name] = read
			continue
		}
		if groups[group] == nil {
			groups[group] = map[string]func(*yaml.Node){}
			readers[group] = func(n *yaml.Node) { w.fields(n, "policy."+group, groups[group]) }
		}
		groups[group][name] = read
	}
	return readers
}

func (p *Policy) readLimit(w *settingReader, node *yaml.Node, s policy.Setting) {
	text := w.setting(node, "policy."+s.Name)
	if text.Value == "" {
		return
	}
	n, err := s.Parse(text.Value)
	if err != nil {
		w.Report(node, diag.BadProject, err.Error(), "")
		return
	}
	p.Limits = append(p.Limits, policy.Value{Setting: s, Number: n, Position: text.Position})
}

func (p *Policy) readMinutes(w *settingReader, node *yaml.Node) {
	p.SavedPlanMinutes = w.setting(node, "policy.saved_plan_minutes")
	if minutes, err := strconv.Atoi(p.SavedPlanMinutes.Value); err != nil || minutes < 1 || minutes > 30 {
		w.Report(node, diag.BadProject, fmt.Sprintf("policy.saved_plan_minutes is %q; want 1 to 30",
			p.SavedPlanMinutes.Value), "longer is the operator's: ADSYNC_PLAN_MINUTES")
	}
}

// choices reads one choice for all, or a mapping of names to choices in which
// default stands for the rest.
func (w *settingReader) choices(node *yaml.Node, c policy.Choice) (all Setting, of map[string]Setting) {
	if node.Kind != yaml.MappingNode {
		return w.choice(node, c.Name, c.Words()...), nil
	}
	of = map[string]Setting{}
	for key, value := range w.Entries(node) {
		if key.Value == "default" {
			all = w.choice(value, c.Name+".default", c.Words()...)
			continue
		}
		if s := w.choice(value, c.Name+"."+key.Value, c.Words()...); s.Value != "" {
			of[key.Value] = s
		}
	}
	return all, of
}

func (p *Policy) readFreeze(w *settingReader, node *yaml.Node) {
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, "policy.freeze is "+yamlnode.ShapeOf(node)+"; want a list", "")
		return
	}
	for _, entry := range node.Content {
		if window, ok := w.window(entry); ok {
			p.Freeze = append(p.Freeze, window)
		}
	}
}

func (w *settingReader) window(node *yaml.Node) (policy.Window, bool) {
	found := policy.Window{Position: w.At(node)}
	problems := len(w.Problems)
	text := func(to *string, where string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = w.setting(n, "policy.freeze."+where).Value }
	}
	w.fields(node, "policy.freeze", map[string]func(*yaml.Node){
		"name":   text(&found.Name, "name"),
		"reason": text(&found.Reason, "reason"),
		"cron": func(n *yaml.Node) {
			found.Cron = w.setting(n, "policy.freeze.cron").Value
			if err := policy.CheckCron(found.Cron); err != nil && found.Cron != "" {
				w.Report(n, diag.BadProject, "policy.freeze."+err.Error(), "")
			}
		},
		"for": func(n *yaml.Node) {
			d, err := time.ParseDuration(w.setting(n, "policy.freeze.for").Value)
			if err != nil || d <= 0 {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("policy.freeze.for is %q; want hours or minutes such as 62h", n.Value), "")
			}
			found.For = d
		},
		"timezone": func(n *yaml.Node) {
			zone, err := ZoneOf(w.setting(n, "policy.freeze.timezone").Value)
			if err != nil {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("policy.freeze.timezone is %q; want an IANA name such as Europe/Paris", n.Value), "")
			}
			found.Zone = zone
		},
	})
	if len(w.Problems) == problems && (found.Name == "" || found.Cron == "" || found.For == 0 || found.Zone == nil) {
		w.Report(node, diag.BadProject, "a freeze window lacks something; want name, cron, for and timezone",
			"for example {name: black friday, cron: \"0 0 27 11 *\", for: 96h, timezone: Europe/Paris}")
	}
	return found, len(w.Problems) == problems
}

// Unplaced is the policy without its positions.
func (p Policy) Unplaced() Policy {
	p.Drift.Position, p.Prune.Position, p.SavedPlanMinutes.Position = diag.Position{}, diag.Position{}, diag.Position{}
	for _, of := range []*map[string]Setting{&p.DriftOf, &p.PruneOf} {
		said := map[string]Setting{}
		for name, s := range *of {
			said[name] = Setting{Value: s.Value}
		}
		*of = said
	}
	p.Limits, p.Freeze = slices.Clone(p.Limits), slices.Clone(p.Freeze)
	for i := range p.Limits {
		p.Limits[i].Position = diag.Position{}
	}
	slices.SortFunc(p.Limits, func(a, b policy.Value) int { return strings.Compare(a.Setting.Name, b.Setting.Name) })
	for i := range p.Freeze {
		p.Freeze[i].Position = diag.Position{}
	}
	return p
}
