package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/tree"
)

func readDaemon(t *testing.T, text string) (config.Daemon, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, problems := config.ReadDaemon(file)
	var said []string
	for _, p := range problems {
		said = append(said, p.Position.String()+": "+p.Message)
	}
	return d, strings.ReplaceAll(strings.Join(said, "\n"), filepath.Dir(file)+"/", "")
}

func TestTheDaemonsConfiguration(t *testing.T) {
	d, problems := readDaemon(t, `
listen: 0.0.0.0:9000
address: gateway-1
token: {env: TOKEN}
tls: {cert: cert.pem, key: /etc/key.pem}
state: states
every: 5m
accounts:
- name: shop
  folder: shop
  every: 30s
  settle: 500ms
- name: books
  git: {url: "https://git.example.com/ads.git", ref: main, path: books, token: {file: /run/token}, ssh_key: keys/ssh, known_hosts: hosts, ca: /etc/ca.pem, signers: signers, passphrase: {file: keys/phrase}}
  operator: books.yaml
  apply: plan
  webhook: {secret: {env: HOOK}}
`)
	if problems != "" || len(d.Accounts) != 2 {
		t.Fatalf("ReadDaemon gives %d accounts and problems:\n%s", len(d.Accounts), problems)
	}
	if d.Address.Value != "gateway-1" {
		t.Errorf("address is %q", d.Address.Value)
	}
	dir := filepath.Dir(d.File)
	shop, books := d.Accounts[0], d.Accounts[1]
	if shop.Folder != filepath.Join(dir, "shop") || shop.Every != 30*time.Second ||
		shop.Settle != 500*time.Millisecond || shop.Full != 24*time.Hour || shop.PlanOnly {
		t.Errorf("shop is %+v", shop)
	}
	if books.Every != 5*time.Minute || books.Settle != 2*time.Second ||
		!books.PlanOnly || books.Operator != filepath.Join(dir, "books.yaml") ||
		books.Git.Ref.Value != "main" || books.Git.Token.Value != "/run/token" || books.Webhook.From != "env" {
		t.Errorf("books is %+v", books)
	}
	if d.Cert.Value != filepath.Join(dir, "cert.pem") ||
		d.Key.Value != "/etc/key.pem" || d.State != filepath.Join(dir, "states") {
		t.Errorf("paths are %q, %q and %q; want them relative to the file", d.Cert.Value, d.Key.Value, d.State)
	}
	g := books.Git
	for _, row := range []struct{ what, is, want string }{
		{"ssh_key", g.Key.Value, filepath.Join(dir, "keys", "ssh")},
		{"known_hosts", g.KnownHosts.Value, filepath.Join(dir, "hosts")},
		{"ca", g.CA.Value, "/etc/ca.pem"},
		{"signers", g.Signers.Value, filepath.Join(dir, "signers")},
		{"passphrase", g.Passphrase.Value, filepath.Join(dir, "keys", "phrase")},
	} {
		if row.is != row.want {
			t.Errorf("%s is %q; want %q: a path is relative to the file that names it", row.what, row.is, row.want)
		}
	}
}

// pullRequests is a configuration of which an account says this of pull requests.
func pullRequests(said string) string {
	return "accounts: [{name: a, git: {url: u}, state: s, pull_requests: {" + said + "}}]\n"
}

func TestADaemonsConfigurationThatIsRefused(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "listen: none\n", "daemon.yaml: accounts names none; want at least one"},
		{"an unknown word", "acounts: []\n", `daemon.yaml:1:1: the daemon's configuration has "acounts"`},
		{"an unknown word of an account", "accounts: [{name: a, folder: a, evry: 1m}]\n",
			`daemon.yaml:1:33: an account has "evry"`},
		{"uploads of a folder", "accounts: [{name: a, folder: a, uploads: adsync/uploads}]\n",
			`has a folder and uploads: "adsync/uploads"; want folder`},
		{"uploads into no folder", "state: s\naccounts: [{name: a, git: {url: /srv/a, ref: main}, uploads: folder}]\n",
			`has uploads: "folder"; want a branch below adsync/`},
		{"write_back of git", "state: s\naccounts: [{name: a, git: {url: /srv/a, ref: main}, write_back: true}]\n",
			`account "a" is read from git and has write_back`},
		{"one results folder twice", "accounts:\n- {name: a, folder: " +
			"a, results: r}\n- {name: b, folder: b, results: ./r}\n", `accounts "a" and "b" have one results folder`},
		{"results of a folder", "accounts: [{name: a, folder: a, push_results: adsync/results}]\n",
			"these are of commits, and want git"},
		{"pull requests of a folder", "accounts: [{name: a, folder: a, pull_requests: {forge: github, " +
			"repository: acme/ads, token: {env: T}}}]\n", "these are of commits, and want git"},
		{"pull requests of no forge", pullRequests("repository: a/b, token: {env: T}"),
			"pull_requests has no forge; want github"},
		{"pull requests of another forge", pullRequests("forge: svn"), `pull_requests.forge is "svn"; want github`},
		{"pull requests of a project without a group", pullRequests("forge: gitlab, repository: ads, token: {env: T}"),
			`pull_requests.repository is "ads"; want its groups and its name`},
		{"pull requests of a Gitea somewhere", pullRequests("forge: gitea, repository: acme/ads, token: {env: T}"),
			"pull_requests has no api; want the address of the forge"},
		{"pull requests of no repository", pullRequests("forge: github, repository: ads, token: {env: T}"),
			`pull_requests.repository is "ads"; want owner/name`},
		{"an approver that is none", pullRequests("approvers: [\"@acme\"]"),
			`an approver is "@acme"; want a login, or a team such as @acme/buyers`},
		{"approvers of no hazard", pullRequests("approvers: [{who: ann, hazards: []}]"),
			"approvers.hazards names no hazards; want names such as exposure"},
		{"approvals that never end", pullRequests("review_expires: 8760h"), `review_expires is "8760h"; want a time`},
		{"results", pullRequests("propose_results: 2"), `propose_results is "2"; want true, false`},
		{"owners", pullRequests("codeowners: 2"), `codeowners is "2"; want true, false`},
		{"owners by expressions", pullRequests("forge: gitea, repository: a/b, token: {env: T}, " +
			"api: 'https://g.example', approvers: [bob], codeowners: true"), "has regular expressions"},
		{"owners, and nobody approves",
			pullRequests("forge: github, repository: a/b, token: {env: T}, codeowners: true"),
			"codeowners is true, and there are no approvers"},
		{"eyes", pullRequests("four_eyes: 2"), `four_eyes is "2"; want true, false`},
		{"applied at another time", pullRequests("apply: sometimes"),
			`pull_requests.apply is "sometimes"; want on-merge, before-merge`},
		{"applied by nobody", pullRequests("forge: github, repository: a/b, token: {env: T}, apply: before-merge"),
			"apply is before-merge, and there are no approvers"},
		{"applied and signed by nobody", "accounts: [{name: a, state: s, git: {url: u, signers: keys}, " +
			"pull_requests: {forge: github, repository: a/b, token: {env: T}, approvers: [bob], apply: before-merge}}]",
			"has git.signers, and pull_requests.apply is before-merge"},
		{"an app without a key", pullRequests("forge: github, repository: a/b, app: {id: 1, installation: 2}"),
			"pull_requests.app lacks something; want its id, its installation and its key"},
		{"an app that is no number", pullRequests("forge: github, repository: a/b, app: {id: ads, installation: 2, " +
			"key: {env: K}}"), `pull_requests.app.id is "ads"; want its number at GitHub`},
		{"an app of another forge", pullRequests("forge: gitlab, repository: a/b, app: {id: 1, installation: 2, " +
			"key: {env: K}}"), "pull_requests has an app; want it for github alone, and in the place of a token"},
		{"pull requests without a token", pullRequests("forge: github, repository: a/b"), "pull_requests has no token"},
		{"pull requests at an address in the clear",
			pullRequests("forge: github, repository: a/b, token: {env: T}, api: 'http://ghe.example.com/'"),
			`pull_requests.api is "http://ghe.example.com/"; want an address of https`},
		{"proposals of a folder", "accounts: [{name: a, folder: a, propose_drift: true}]\n",
			"these are of commits, and want git"},
		{"results to the branch that is read", "state: s\naccounts: " +
			"[{name: a, git: {url: /srv/a, ref: refs/heads/adsync/results}, push_results: adsync/results}]\n",
			"push_results to \"adsync/results\", which is the branch it reads"},
		{"results to anybody's branch", "state: s\naccounts: " +
			"[{name: a, git: {url: /srv/a, ref: main}, push_results: main}]\n", "such as adsync/results"},
		{"uploads to the branch that is read", "state: s\naccounts: [{name: " +
			"a, git: {url: /srv/a, ref: adsync/uploads}, uploads: adsync/uploads}]\n", "which is the branch it reads"},
		{"uploads to its full name", "state: s\naccounts: [{name: a, git: {url: /srv/a, " +
			"ref: refs/heads/adsync/uploads}, uploads: adsync/uploads}]\n", "which is the branch it reads"},
		{"uploads to anybody's branch", "state: s\naccounts: " +
			"[{name: a, git: {url: /srv/a, ref: main}, uploads: main}]\n", "want a branch below adsync/"},
		{"uploads to no branch", "state: s\naccounts: " +
			"[{name: a, git: {url: /srv/a, ref: main}, uploads: adsync/../main}]\n", "want a branch below adsync/"},
		{"no name", "accounts: [{folder: a}]\n", `daemon.yaml:1:12: an account has the name ""; want letters`},
		{"a name that is a path", "accounts: [{name: ../a, folder: a}]\n",
			`an account has the name "../a"; want letters`},
		{"an address that is one", "address: 192.0.2.1/24\naccounts: [{name: a, folder: a}]\n",
			`daemon.yaml:1:10: address is "192.0.2.1/24"; want a name of letters`},
		{"a name twice", "accounts:\n- {name: a, folder: a}\n- {name: a, folder: b}\n",
			`daemon.yaml:3:3: account "a" is named twice, first in line 2`},
		{"a folder twice", "accounts:\n- {name: a, folder: x}\n- {name: b, folder: ./x/}\n",
			`daemon.yaml:3:3: accounts "a" and "b" have one state, in `},
		{"a state twice", "accounts:\n- {name: a, git: {url: https://x/y}, state: " +
			"s}\n- {name: b, git: {url: https://x/y, path: b}, state: s}\n", `accounts "a" and "b" have one state`},
		{"a state that is another's by name", "state: s\naccounts:\n- {name: a, git: {url: https://x/y}}\n" +
			"- {name: b, git: {url: https://x/y, path: b}, state: s/a}\n", `accounts "a" and "b" have one state`},
		{"two places", "accounts: [{name: a, folder: a, git: {url: https://x/y}, state: s}]\n",
			`account "a" has not one of folder and git`},
		{"git without a state", "accounts: [{name: a, git: {url: https://x/y}}]\n",
			`account "a" is read from git and has no state`},
		{"a time that is none", "every: often\naccounts: [{name: a, folder: a}]\n",
			`daemon.yaml:1:8: every is "often"; want a time from 1s to 24h0m0s`},
		{"a full reading less than daily", "full: 48h\naccounts: [{name: a, folder: a}]\n",
			`full is "48h"; want a time from 1m0s to 24h0m0s`},
		{"a token in the file", "token: hunter2hunter2hunter2\naccounts: [{name: a, folder: a}]\n",
			"token holds something else than where the key is"},
		{"half of TLS", "tls: {cert: a}\naccounts: [{name: a, folder: a}]\n", "tls has one of cert and key; want both"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := readDaemon(t, row.text)
			if !strings.Contains(problems, row.want) {
				t.Errorf("ReadDaemon says %q; want %q", problems, row.want)
			}
			if strings.Contains(problems, "hunter2") {
				t.Errorf("ReadDaemon repeats the token: %s", problems)
			}
		})
	}
}

// TestTheSumIsTheHashOfWhatWasRead: what is not parsed has the same sum, and
// every change of what was read another.
func TestTheSumIsTheHashOfWhatWasRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("adsync.yaml", "account: {id: a, currency: USD, timezone: UTC}\n")
	write("a.yaml", "kind: campaign\nname: One\n"+
		"bidding_type: clicks\n---\nkind: audience\nname: People\nmembers: people.csv\nidentifier: email\n")
	write("people.csv", "email\nann@example.com\n")
	p, problems := config.ReadProject(dir)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	read := sources.Load(t.Context(), p, kinds.All())
	if got := tree.SumOf(p, read.Files); got != read.Hash || read.Hash == "" {
		t.Fatalf("Sum = %s, Load says %s (%v)", got, read.Hash, read.Problems)
	}
	seen := map[string]string{read.Hash: "what was read"}
	for _, change := range []struct{ name, content string }{
		{"a.yaml", "kind: campaign\nname: Two\nbidding_type: clicks\n"},
		{"people.csv", "email\nbob@example.com\n"}, {"b.yaml", "kind: campaign\nname: New\nbidding_type: clicks\n"},
		{"adsync.yaml", "account: {id: b, currency: USD, timezone: UTC}\n"},
	} {
		before, _ := os.ReadFile(filepath.Join(dir, change.name))
		write(change.name, change.content)
		sum := tree.SumOf(p, read.Files)
		if was, same := seen[sum]; same {
			t.Errorf("with another %s the sum is that of %s", change.name, was)
		}
		seen[sum] = change.name
		if before == nil {
			_ = os.Remove(filepath.Join(dir, change.name))
			continue
		}
		write(change.name, string(before))
	}
}

// TestWhatHoldsForAllWritesIntoFoldersAlone: an account from git has no file to write into.
func TestWhatHoldsForAllWritesIntoFoldersAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "daemon.yaml")
	must(t, os.WriteFile(name, []byte("state: s\nwrite_back: true\naccounts:\n- {name: a, folder: a}\n"+
		"- {name: b, git: {url: /srv/b, ref: main}}\n- {name: c, folder: c, write_back: false}\n"), 0o600))
	d, problems := config.ReadDaemon(name)
	wantProblems(t, problems)
	for i, want := range []bool{true, false, false} {
		if a := d.Accounts[i]; a.WriteBack != want {
			t.Errorf("account %s writes back: %v; want %v", a.Name.Value, a.WriteBack, want)
		}
	}
}
