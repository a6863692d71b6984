package config

import (
	"fmt"
	"os"

	"adsync/internal/diag"
	"adsync/sources/bounded"
)

// MissingFiles finds the files that the configuration names and that cannot be read: keys,
// certificates, lists of hosts. A daemon that runs says it of the account, once it needs
// one; a check says it of all.
func (d *Daemon) MissingFiles() (problems []diag.Problem) {
	look := func(name string, s Setting) {
		if s.Value == "" {
			return
		}
		file, err := os.Open(s.Value)
		if err == nil {
			_ = file.Close()
			return
		}
		problems = append(problems, diag.Problem{
			Severity: diag.Error, Code: diag.BadProject, Position: s.Position,
			Message: fmt.Sprintf("%s is %s, which cannot be read (%s); want a file that the daemon may read",
				name, s.Value, bounded.Reason(err)),
		})
	}
	of := func(name string, r KeyReference) {
		if r.From == "file" {
			look(name, r.Setting)
		}
	}
	look("cert", d.Cert)
	look("key", d.Key)
	of("token", d.Token)
	of("database", d.Database)
	for i := range d.Accounts {
		a := &d.Accounts[i]
		look("git.ssh_key", a.Git.Key)
		look("git.known_hosts", a.Git.KnownHosts)
		look("git.ca", a.Git.CA)
		look("git.signers", a.Git.Signers)
		of("git.token", a.Git.Token)
		of("git.passphrase", a.Git.Passphrase)
		of("webhook", a.Webhook)
		of("pull_requests.token", a.Pulls.Token)
		of("pull_requests.app.key", a.Pulls.App.Key)
	}
	return problems
}
