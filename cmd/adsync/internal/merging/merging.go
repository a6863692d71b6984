// Package merging puts what somebody changed of a workbook into the workbook as it is today, where somebody else
// changed that since it was downloaded.
//
// It refuses to choose: what both sides changed waits for a person, and so does what it does not understand. Its
// invariant: a merged file is today's, with no other cell changed than those it names.
package merging

import (
	"cmp"
	"context"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/downloads"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/sources/config"
	"adsync/sources/diff"
)

// Desk merges files of one account.
type Desk struct {
	Kept    *downloads.Kept
	Project config.Project
	Schemas resource.Schemas
	Now     time.Time
}

// Began returns what a file began as, and whether somebody else changed since what it takes the place of; nil where
// nobody knows. today is the sum of the file as it is, "" where there is none any more.
func (d *Desk) Began(ctx context.Context, f daemon.Dropped, file, today string) (*Base, error) {
	if f.Who == "" {
		return nil, nil
	}
	all, err := d.Kept.Of(f.Who, file, d.Now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	b := &Base{Version: all[0]}
	if len(all) > 1 {
		b.Version = d.nearest(ctx, all, file, f.Content)
	}
	b.Moved = b.Sum != today
	for _, sent := range b.Sent {
		b.Moved = b.Moved && sent != today
	}
	return b, nil
}

// Base is the version that a file began as.
type Base struct {
	downloads.Version
	Moved bool // somebody else changed the file since
}

// nearest is the version of which the fewest cells or values were changed: who downloaded a file twice may have worked
// on either.
func (d *Desk) nearest(ctx context.Context, all []downloads.Version, file string, content []byte) downloads.Version {
	var of []downloads.Version
	var contents [][]byte
	for _, v := range all {
		if bytes, err := d.Kept.Content(v); err == nil && bytes != nil {
			of, contents = append(of, v), append(contents, bytes)
		}
	}
	if len(of) == 0 {
		return all[0]
	}
	n, err := diff.Nearest(ctx, d.Project, file, contents, content, d.Schemas)
	if err != nil { // it has problems, which are shown
		n = 0
	}
	return of[n]
}

// Merge merges a file into the one that is there today; nil is none.
func (d *Desk) Merge(ctx context.Context, f daemon.Dropped, b *Base, file string, today []byte) *daemon.Merge {
	m := &daemon.Merge{Since: b.At,
		Took: []daemon.MergeValue{}, Clashes: []daemon.MergeValue{}, Left: []daemon.MergeValue{}}
	if today == nil {
		m.Refused = catalogue.Say("failed.merge-removed")
		return m
	}
	base, err := d.Kept.Content(b.Version)
	switch {
	case err != nil:
		m.Refused = catalogue.Say("failed.merge-unread")
		return m
	case base == nil:
		m.Refused = catalogue.Say("failed.merge-not-kept")
		return m
	}
	made, err := diff.MergeSides(ctx, d.Project, base, today, f.Content, d.Schemas, diff.Sides{
		File: file, Ours: "today's file", Theirs: "yours",
		Take: func(c diff.Conflict) bool { return f.Choices[digestOf(c)] == daemon.Yours },
	})
	if err != nil {
		m.Refused = diag.Printable(err.Error())
		return m
	}
	fill(m, f, made)
	if m.Settled {
		m.Content = made.Content
	}
	return m
}

// fill says what was merged.
func fill(m *daemon.Merge, f daemon.Dropped, made diff.Merged) {
	m.Settled = true
	for _, sheet := range made.Sorted {
		m.Sorted = append(m.Sorted, diag.Printable(sheet))
	}
	for _, c := range made.Took {
		v := valueOf(c)
		if m.Took = append(m.Took, v); c.Open {
			v.Digest, v.Choice = digestOf(c), daemon.Yours
			m.Clashes = append(m.Clashes, v)
		}
	}
	for _, c := range made.Conflicts {
		v := valueOf(c)
		if !c.Open {
			m.Left = append(m.Left, v)
			continue
		}
		if v.Digest = digestOf(c); f.Choices[v.Digest] == daemon.Todays {
			v.Choice = daemon.Todays
		}
		m.Settled = m.Settled && v.Choice != ""
		m.Clashes = append(m.Clashes, v)
	}
	for _, place := range made.Formulas {
		m.Left = append(m.Left, daemon.MergeValue{What: diag.Printable(place),
			Reason: catalogue.Say("failed.merge-formula")})
	}
	if len(m.Left) > 0 {
		texts := []string{}
		for _, v := range m.Left {
			texts = append(texts, v.What, v.Base, v.Today, v.Yours, v.Reason)
		}
		m.Known = plan.DigestOfTexts(texts...)
		m.Settled = m.Settled && m.Known == f.Known
	}
}

func valueOf(c diff.Conflict) daemon.MergeValue {
	if c.Open { // which side is left out of a row, and what counts is still to be said
		removed := catalogue.Say("shown.removed")
		c.Ours, c.Theirs = cmp.Or(c.Ours, removed), cmp.Or(c.Theirs, removed)
		c.Reason, _, _ = strings.Cut(c.Reason, "; ")
	}
	return daemon.MergeValue{What: diag.Printable(c.What), Base: diag.Printable(c.Base),
		Today: diag.Printable(c.Ours), Yours: diag.Printable(c.Theirs), Reason: diag.Printable(c.Reason)}
}

// digestOf is another where a side has something else.
func digestOf(c diff.Conflict) string {
	return plan.DigestOfTexts(c.What, c.Base, c.Ours, c.Theirs, c.Reason)
}
