package pulls

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/eyes"
	"adsync/internal/forge"
	"adsync/internal/runview"
	"adsync/state/kv"
)

// who is whoever has a login at the forge.
func (r *Rules) who(login string) eyes.Who {
	return eyes.Who{Name: r.Names[lower(login)], Login: login}
}

// wrote returns who wrote what is held of a pull request; nil where not all who did are known, as where the forge does
// not say who pushed.
func (r *Rules) wrote(ctx context.Context, f forge.Repository, p forge.Pull, a Asked) (*eyes.Wrote, error) {
	if len(a.Asks) == 0 || a.Head != p.Head {
		return nil, nil
	}
	authors, err := f.Authors(ctx, p)
	if err != nil || len(authors) == 0 || slices.Contains(authors, "") {
		return nil, err
	}
	var by []eyes.Who
	for _, login := range authors {
		by = append(by, r.who(login))
	}
	return a.wrote(by), nil
}

// sentBy returns that who had adsync propose it at the page wrote what is held; nil where it is not exactly the commit
// that they had made.
func sentBy(kept kv.Store, p forge.Pull, a Asked) (*eyes.Wrote, error) {
	who, err := eyes.SenderOf(kept, p.Head)
	if err != nil || who == nil || a.Head != p.Head {
		return nil, err
	}
	return a.wrote([]eyes.Who{*who}), nil
}

// wrote is that somebody wrote what is held of a pull request, but for what was pending before; nil where nothing is.
func (a *Asked) wrote(by []eyes.Who) *eyes.Wrote {
	w := &eyes.Wrote{By: by, Lineage: a.Lineage, Serial: a.Serial}
	for _, ask := range ofTheAccount(a.Asks) {
		for _, part := range ask.Parts {
			if !slices.Contains(a.Pending, pendingAt(part.Address, part.Field)) {
				w.Keys = append(w.Keys, part.Key(ask.Hazard))
			}
		}
	}
	if len(w.Keys) == 0 {
		return nil
	}
	return w
}

// byUs reports whether a pull request is from a branch as adsync pushes them: who had it do so is no user of the forge.
func byUs(p forge.Pull) bool {
	_, branch, _ := strings.Cut(p.Source, ":")
	return strings.HasPrefix(branch, "adsync/")
}

func pendingAt(address, field string) string { return address + " " + field }

// approvals are what those that count are as approvals of the account.
func (r *Rules) approvals(p forge.Pull, all []judged, now time.Time) (of []daemon.Approval) {
	for _, j := range all {
		if j.Asks = ofTheAccount(j.Asks); j.why != "" || len(j.Asks) == 0 {
			continue
		}
		kind, _, _ := strings.Cut(j.ID, " ")
		a := daemon.Approval{
			Asks: j.Asks, Lineage: j.Lineage, Serial: j.Serial, By: j.By, Who: new(r.who(j.By)), Time: now.UTC(),
			Note: fmt.Sprintf("%s of %s, pull request %d", kind, j.At.UTC().Format(time.RFC3339), p.Number),
			Link: runview.Page(j.Link),
		}
		for _, one := range j.Asks {
			a.Allow = append(a.Allow, one.Allow)
		}
		of = append(of, a)
	}
	return of
}
