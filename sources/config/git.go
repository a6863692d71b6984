package config

import (
	"fmt"
	"time"

	"adsync/internal/diag"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Git is the repository that the operator's file names, and how it is reached.
type Git struct {
	URL        Setting
	Ref        Setting // branch, tag or full commit; zero for the branch its HEAD names
	Path       Setting // folder of the project, zero for the top
	Token      KeyReference
	Key        Setting // file of the private key for ssh
	Passphrase KeyReference
	KnownHosts Setting
	CA         Setting
	Signers    Setting
	Author     Setting       // of what is pushed, as "Name <address>"
	Timeout    time.Duration // 0 where nothing is said
}

func (g *Git) read(w *settingReader, node *yaml.Node) {
	text := func(to *Setting, where string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = w.setting(n, "git."+where) }
	}
	file := func(to *Setting, where string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = w.beside(w.setting(n, "git."+where)) }
	}
	w.fields(node, "git", map[string]func(*yaml.Node){
		"url": text(&g.URL, "url"), "ref": text(&g.Ref, "ref"),
		"path": text(&g.Path, "path"), "author": text(&g.Author, "author"),
		"ssh_key": file(&g.Key, "ssh_key"), "known_hosts": file(&g.KnownHosts, "known_hosts"),
		"ca": file(&g.CA, "ca"), "signers": file(&g.Signers, "signers"),
		"token":      func(n *yaml.Node) { g.Token.read(w, n, "git.token", "GIT_TOKEN") },
		"passphrase": func(n *yaml.Node) { g.Passphrase.read(w, n, "git.passphrase", "GIT_PASSPHRASE") },
		"timeout":    func(n *yaml.Node) { g.readTimeout(w, n) },
	})
}

func (g *Git) readTimeout(w *settingReader, node *yaml.Node) {
	value := w.setting(node, "git.timeout").Value
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > time.Hour {
		w.Report(node, diag.BadProject,
			fmt.Sprintf("git.timeout is %q; want a time from 1s to 1h, such as 2m", value), "")
		return
	}
	g.Timeout = d
}
