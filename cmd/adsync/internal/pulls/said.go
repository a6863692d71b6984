package pulls

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/internal/planview"
)

// mostSaid is how many answers of people are named, and mostBelow how many bytes these and the help have at most.
const (
	mostSaid  = 20
	mostBelow = 11_000
)

// wholeText is the whole comment.
func wholeText(d *Desk, answer *Answer, all []judged, talk forge.Talk) string {
	written := commands(d.Forge, talk)
	said := d.consentText(answer, all) + helpText(d, written)
	if talk.Cut {
		said = "\n**Nobody's yes counts here any more**, and nothing is explained: there are more comments or " +
			"reviews than adsync reads, 1,000 of each. Approve at the daemon's page once this is merged, or open " +
			"another.\n"
	}
	why := explained(questions(written), answer.Explain)
	if answer.Within == nil || len(answer.Text)+len(said)+len(why) <= mostOfComment {
		return answer.Text + said + why
	}
	text, hidden := answer.Within(len(said) + len(why))
	if hidden > answer.Asked.Hidden { // what people are asked for comes before what somebody asks
		why = "\nThere is no room here to explain anything.\n"
		text, _ = answer.Within(len(said) + len(why))
	}
	return text + said + why
}

// consentText is what a comment says of what people agreed to, and of how to agree.
func (d *Desk) consentText(answer *Answer, all []judged) string {
	a := answer.Asked
	if len(d.Rules.Approvers) == 0 {
		return ""
	}
	var text strings.Builder
	switch {
	case a.Hidden > 0:
		how := "Split the pull request, or approve at the daemon's page once it is merged"
		if d.Before {
			how = "Split the pull request"
		}
		fmt.Fprintf(&text, "\n**This cannot be approved here**: a comment has no room for %s that people are asked "+
			"for, and a yes is to what was shown. %s.\n", diag.Plural(a.Hidden, "change"), how)
	case a.Digest != "":
		what, when := "what is held", "once this is merged"
		if d.Before {
			what, when = "all of it", "at once, before the merge"
		}
		fmt.Fprintf(&text, "\n**To approve %s**, %s. It is applied %s, as it is shown "+
			"here, and only while what is live stays as it is.\n", what, d.howTo(a), when)
		if a.ByTwo {
			text.WriteString("Two approvers have to: who sent the file by the page is not known here, and may be one " +
				"of them.\n")
		}
		text.WriteString(ownersText(answer.Owned))
	}
	part := "held part"
	if d.Before {
		part = "part"
	}
	for i, j := range all {
		if i == 0 {
			text.WriteString("\n")
		}
		if i == mostSaid {
			fmt.Fprintf(&text, "- … and %d more\n", len(all)-i)
			break
		}
		kind, _, _ := strings.Cut(j.ID, " ")
		who, when := planview.Code(diag.Printable(j.By)), j.At.UTC().Format("2006-01-02 15:04")
		if j.why != "" {
			fmt.Fprintf(&text, "- Not counted: the %s of %s of %s UTC, as %s.\n", kind, who, when, j.why)
			continue
		}
		fmt.Fprintf(&text, "- Approved by %s (%s of %s UTC): %s.\n", who, kind, when,
			diag.Plural(partsOf(j), part))
	}
	return text.String()
}

// helpText says which comments adsync reads, where somebody asks.
func helpText(d *Desk, written []forge.Comment) string {
	asks := func(m forge.Comment) bool { return isCommand(m.Text, "help") }
	if !slices.ContainsFunc(written, asks) {
		return ""
	}
	text := "\nComments that adsync reads, in their first line: `adsync explain ADDRESS` shows why a resource, such " +
		"as `campaign/spring`, is as it is; `adsync plan` has it planned anew; `adsync help` shows this."
	reviews, comments := d.Forge.Consents()
	if len(d.Rules.Approvers) > 0 && comments {
		text += " `adsync approve DIGEST` approves what a plan holds that was shown here."
	}
	if comments {
		text += " An edited comment counts for nothing."
	}
	if len(d.Rules.Approvers) > 0 && (reviews || comments) {
		text += fmt.Sprintf(" An approval holds %s; a push that changes what it was given to ends it.",
			days(d.Rules.Lasts))
	}
	return text + "\n"
}

// howTo says how to approve where this forge has it.
func (d *Desk) howTo(a Asked) string {
	comment := fmt.Sprintf("write `adsync approve %s` as a comment", a.Digest)
	review := fmt.Sprintf("approve commit `%.12s` in a review", a.Head)
	switch reviews, comments := d.Forge.Consents(); {
	case reviews && comments:
		return comment + ", or " + review
	case reviews:
		return review
	}
	return comment
}

func partsOf(j judged) (n int) {
	for _, a := range j.Asks {
		n += len(a.Parts)
	}
	return n
}

// isCommand reports whether a comment begins with a line of adsync and a command alone.
func isCommand(text, command string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line) == "adsync "+command
}

// sumOf is another where people said something else that adsync reads.
func sumOf(talk forge.Talk) string {
	sum := sha256.New()
	fmt.Fprintln(sum, talk.Cut)
	for _, r := range talk.Reviews {
		if r.Opinion != forge.Remarks { // which count for nothing
			fmt.Fprintf(sum, "%q\n", []any{"review", r.ID, r.Opinion, r.Commit})
		}
	}
	for _, m := range talk.Comments {
		if line, _, _ := strings.Cut(m.Text, "\n"); strings.HasPrefix(strings.TrimLeft(line, " "), "adsync ") {
			fmt.Fprintf(sum, "%q\n", []any{"comment", m.ID, m.Edited, line})
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// firstToExpire is when the first yes that counts does no longer; zero where none does.
func (r *Rules) firstToExpire(all []judged) (at time.Time) {
	for _, j := range all {
		if ends := j.At.Add(r.Lasts); j.why == "" && (at.IsZero() || ends.Before(at)) {
			at = ends
		}
	}
	return at
}
