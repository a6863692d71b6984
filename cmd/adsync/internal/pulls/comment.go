package pulls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"adsync/internal/forge"
)

// say replaces the comment of a pull request, where it says something else.
func (d *Desk) say(ctx context.Context, number int, a answered, text string) (answered, error) {
	sum := sha256.Sum256([]byte(text))
	if said := hex.EncodeToString(sum[:]); a.Sum != said || a.Comment == "" {
		made, err := d.Forge.Say(ctx, number, a.Comment, text)
		if err != nil {
			return a, err
		}
		a.Comment, a.Sum, a.Stands = made.ID, said, marksOf(made.Text, time.Time{})
	}
	return a, nil
}

// tells replaces the comment, also where somebody touched what people are asked by. Whoever said yes while it was
// replaced may have seen anything: what is new then is agreed to by nobody.
func tells(ctx context.Context, d *Desk, pull forge.Pull, a answered, c *consents, text string, talk forge.Talk) (
	answered, error) {
	if len(d.Rules.Approvers) == 0 {
		return d.say(ctx, pull.Number, a, text)
	}
	if !talk.Cut && !a.stands(talk) {
		a.Sum = ""
	}
	was := a
	a, err := d.say(ctx, pull.Number, a, text)
	if err != nil || a == was {
		return a, err
	}
	if talk, err = d.hear(ctx, pull, a, c); err != nil {
		return a, err
	}
	if mine, is := a.find(talk); is && marksOf(mine.Text, time.Time{}) == a.Stands {
		a.Stands = marksOf(mine.Text, mine.Changed)
	}
	return a, d.put(consentsOf(pull.Number), *c)
}

// stands reports whether the comment is at the forge as it was said, and nobody has touched it since. Whoever may write
// to a repository can edit it, so that a yes may be to something else.
func (a *answered) stands(talk forge.Talk) bool {
	mine, is := a.find(talk)
	return is && marksOf(mine.Text, mine.Changed) == a.Stands
}

// find returns the comment as the forge has it.
func (a *answered) find(talk forge.Talk) (forge.Comment, bool) {
	at := slices.IndexFunc(talk.Comments, func(m forge.Comment) bool { return a.Comment != "" && m.ID == a.Comment })
	if at < 0 {
		return forge.Comment{}, false
	}
	return talk.Comments[at], true
}

// marksOf tells a comment from one that somebody has touched. With no time it is that of no comment at a forge.
func marksOf(text string, changed time.Time) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x %s", sum[:16], changed.UTC().Format(time.RFC3339Nano))
}
