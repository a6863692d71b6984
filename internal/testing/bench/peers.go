package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// peer is a resource as other tools declare it.
type peer struct {
	kind   string
	parent string // its name: "campaign_0007"; "" at the top
	number int
	fields []peerField
}

// peerField is a text, a list of texts, or the id of another resource.
type peerField struct {
	name  string
	value any
}

type peerID string

func (p peer) name() string { return fmt.Sprintf("%s_%04d", p.kind, p.number) }

// idOf is the id that a resource has in the state.
func idOf(name string) string { return "id-of-" + name }

// peers are the resources of a campaign's tree, in trees of three.
func (s Shape) peers(number int) []peer {
	c, g, a := s.campaign(number), s.group(number, 0), s.ad(number, 0, 0)
	campaign := peer{kind: "campaign", number: number, fields: []peerField{
		{"bidding_type", "clicks"}, {"budget", c.budget},
		{"countries", c.countries}, {"key", c.key}, {"name", c.name}, {"status", "paused"},
	}}
	group := peer{kind: "ad_group", number: number, parent: campaign.name(), fields: []peerField{
		{"bid", g.bid}, {"campaign", peerID(campaign.name())},
		{"context_hints", s.hints(number, 0)}, {"key", g.key}, {"name", g.name}, {"status", "active"},
	}}
	return []peer{campaign, group, {kind: "ad", number: number, parent: group.name(), fields: []peerField{
		{"ad_group", peerID(group.name())}, {"body", a.body}, {"image", a.image},
		{"key", a.key}, {"name", a.name}, {"status", "active"}, {"target_url", a.url}, {"title", a.title},
	}}}
}

// WriteTerraform writes an account of trees of three as resources that are built into
// Terraform, in files of perFile campaigns, and the state an apply of them leaves.
func (s Shape) WriteTerraform(dir string, perFile int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for from := 0; from < s.Campaigns; from += perFile {
		err := create(filepath.Join(dir, fmt.Sprintf("part_%04d.tf", from/perFile)), func(w io.Writer) error {
			for c := from; c < min(from+perFile, s.Campaigns); c++ {
				for _, p := range s.peers(c) {
					p.block(w)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return create(filepath.Join(dir, "terraform.tfstate"), s.terraformState)
}

func (p peer) block(w io.Writer) {
	fmt.Fprintf(w, "resource \"terraform_data\" %q {\n  input = {\n", p.name())
	for _, f := range p.fields {
		switch v := f.value.(type) {
		case peerID:
			fmt.Fprintf(w, "    %s = terraform_data.%s.id\n", f.name, v)
		case []string:
			fmt.Fprintf(w, "    %s = [\"%s\"]\n", f.name, strings.Join(v, `", "`))
		default:
			fmt.Fprintf(w, "    %s = \"%s\"\n", f.name, v)
		}
	}
	fmt.Fprint(w, "  }\n}\n\n")
}

func (s Shape) terraformState(w io.Writer) error {
	var resources []any
	for c := range s.Campaigns {
		above := []string{}
		for _, p := range s.peers(c) {
			if p.parent != "" {
				above = append([]string{"terraform_data." + p.parent}, above...)
			}
			resources = append(resources, p.state(above))
		}
	}
	return json.NewEncoder(w).Encode(map[string]any{
		"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "3f1c2a54-6a4e-4c6c-9d7a-0d5f3f0f5b11",
		"outputs": map[string]any{}, "resources": resources, "check_results": nil,
	})
}

func (p peer) state(above []string) map[string]any {
	values, types := map[string]any{}, map[string]any{}
	for _, f := range p.fields {
		values[f.name], types[f.name] = f.value, "string"
		switch v := f.value.(type) {
		case peerID:
			values[f.name] = idOf(string(v))
		case []string:
			of := make([]string, len(v))
			for i := range of {
				of[i] = "string"
			}
			types[f.name] = []any{"tuple", of}
		}
	}
	held := map[string]any{"value": values, "type": []any{"object", types}}
	return map[string]any{
		"mode": "managed", "type": "terraform_data",
		"name": p.name(), "provider": `provider["terraform.io/builtin/terraform"]`,
		"instances": []any{map[string]any{
			"schema_version": 0, "sensitive_attributes": []any{}, "dependencies": above,
			"attributes": map[string]any{"id": idOf(p.name()), "input": held, "output": held, "triggers_replace": nil},
		}},
	}
}

// WriteDecK writes as many entities as an account of trees of three has, for decK: a
// service with a route and a plugin for each campaign.
func (s Shape) WriteDecK(path string) error {
	return create(path, func(w io.Writer) error {
		fmt.Fprint(w, "_format_version: \"3.0\"\nservices:\n")
		for i := range s.Campaigns {
			c, a := s.campaign(i), s.ad(i, 0, 0)
			product := strings.TrimSuffix(filepath.Base(a.image), ".jpg")
			fmt.Fprintf(w, "- name: %s\n  host: %s.shop.example\n  port: 443\n  protocol: https\n"+
				"  path: /%s/%d\n  connect_timeout: 60000\n  retries: 5\n  enabled: true\n", c.key, product, product, i)
			fmt.Fprintf(w, "  routes:\n  - name: "+
				"%s-%d\n    protocols: [https]\n    methods: [GET, POST]\n    paths:\n    - /%s/%d\n    hosts:\n"+
				"    - shop.example\n    strip_path: true\n    preserve_host: false\n", product, i, product, i)
			fmt.Fprintf(w, "  plugins:\n  - name: rate-limiting\n    enabled: true\n    protocols: [https]\n"+
				"    tags: [%s-%d]\n    config: {minute: %d, policy: local, limit_by: ip, fault_tolerant: true}\n",
				a.key, i, 100+i%900)
		}
		return nil
	})
}
