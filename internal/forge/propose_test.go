package forge_test

import (
	"strings"
	"testing"

	"adsync/internal/forge"
	"adsync/internal/testing/forgetest"
	"adsync/internal/testing/githubtest"
)

// What is there before a pull request is proposed on GitLab and Gitea, and what is there afterwards.
func TestOthersKeepAProposalOnePullRequest(t *testing.T) {
	const mark, branch = "<!-- mark -->", "adsync/drift-shop"
	from := func(p forgetest.Pull) forgetest.Pull {
		p.Number, p.Branch, p.Head = 8, branch, commitA
		if p.Base == "" {
			p.Base = "main"
		}
		return p
	}
	for _, row := range []struct {
		name  string
		there []forgetest.Pull
		opens bool
		says  string // the one that was there, afterwards
	}{
		{"none", nil, true, ""},
		{"ours", []forgetest.Pull{from(forgetest.Pull{Body: mark + "\nold"})}, false, mark + "\nnew"},
		{"somebody else's from that branch", []forgetest.Pull{from(forgetest.Pull{Body: "mine"})}, false, "mine"},
		{"one that was closed", []forgetest.Pull{from(forgetest.Pull{Body: mark + "\nold", Closed: true})}, true,
			mark + "\nold"},
		{"one into another branch", []forgetest.Pull{from(forgetest.Pull{Body: mark + "\nold", Base: "next"})}, true,
			mark + "\nold"},
		{"one of a fork", []forgetest.Pull{from(forgetest.Pull{Body: mark + "\nold", Fork: true})}, true,
			mark + "\nold"},
	} {
		t.Run(row.name, func(t *testing.T) {
			onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
				s.HeadOf = func(string) string { return commitA }
				s.Set(row.there...)
				p := forge.Proposal{From: branch, Into: "main", Title: "Take over", Text: mark + "\nnew"}
				number, err := r.Propose(t.Context(), p)
				all := s.Pulls(branch)
				if opened := len(all) > len(row.there); err != nil || opened != row.opens {
					t.Fatalf("opened: %t, %v; want %t", opened, err, row.opens)
				}
				if last := all[len(all)-1]; number != last.Number || row.opens && last.Body != p.Text {
					t.Errorf("number %d, %+v; want the one that is open", number, last)
				}
				if len(row.there) > 0 && all[0].Body != row.says {
					t.Errorf("the one before says %q; want %q", all[0].Body, row.says)
				}
				for range 2 { // the second time there is none
					if err := r.Withdraw(t.Context(), p, "/close It is gone."); err != nil {
						t.Fatal(err)
					}
				}
				ours := row.says != "mine"
				last := s.Pulls(branch)[len(all)-1]
				if said := s.Comments(number); last.Closed != ours || ours != (len(said) == 1) {
					t.Errorf("closed: %t with %+v; want %t, and one comment that says why", last.Closed, said, ours)
				}
			})
		})
	}
}

// What is there before a pull request is proposed, and what is there afterwards.
func TestAProposalIsOnePullRequest(t *testing.T) {
	const mark, branch = "<!-- mark -->", "adsync/drift-shop"
	head := strings.Repeat("a", 40)
	from := func(p githubtest.Pull) githubtest.Pull {
		p.Number, p.From, p.Head = 7, branch, head
		if p.Base == "" {
			p.Base = "main"
		}
		return p
	}
	for _, row := range []struct {
		name  string
		there []githubtest.Pull
		opens bool
		says  string // the one that was there, afterwards
	}{
		{"none", nil, true, ""},
		{"ours", []githubtest.Pull{from(githubtest.Pull{Body: mark + "\nold"})}, false, mark + "\nnew"},
		{"ours, as the page of the forge saved it", []githubtest.Pull{from(githubtest.Pull{Body: mark + "\r\nold"})},
			false, mark + "\nnew"},
		{"somebody else's from that branch", []githubtest.Pull{from(githubtest.Pull{Body: "mine"})}, false, "mine"},
		{"one that was closed", []githubtest.Pull{from(githubtest.Pull{Body: mark + "\nold", Closed: true})}, true,
			mark + "\nold"},
		{"one into another branch", []githubtest.Pull{from(githubtest.Pull{Body: mark + "\nold", Base: "next"})}, true,
			mark + "\nold"},
		{"one of a fork in the same organisation",
			[]githubtest.Pull{from(githubtest.Pull{Body: mark + "\nold", Fork: "acme/fork"})}, true, mark + "\nold"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			s.HeadOf = func(int, string) string { return head }
			s.Set(row.there...)
			p := forge.Proposal{From: branch, Into: "main", Title: "Take over", Text: mark + "\nnew"}
			number, err := g.Propose(t.Context(), p)
			all := s.Pulls(branch)
			if opened := len(all) > len(row.there); err != nil || opened != row.opens {
				t.Fatalf("opened: %t, %v; want %t", opened, err, row.opens)
			}
			if last := all[len(all)-1]; number != last.Number || row.opens && last.Body != p.Text {
				t.Errorf("number %d, %+v; want the one that is open", number, last)
			}
			if len(row.there) > 0 && all[0].Body != row.says {
				t.Errorf("the one before says %q; want %q", all[0].Body, row.says)
			}
			s.Requests()
			for range 2 { // the second time there is none
				if err := g.Withdraw(t.Context(), p, "It is gone."); err != nil {
					t.Fatal(err)
				}
			}
			ours := row.says != "mine"
			last := s.Pulls(branch)[len(all)-1]
			if said := s.Comments(number); last.Closed != ours || ours != (len(said) == 1) {
				t.Errorf("closed: %t with %+v; want %t, and one comment that says why", last.Closed, said, ours)
			}
		})
	}
}
