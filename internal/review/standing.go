package review

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// The facts of a kind that is reviewed, as its description names them.
const (
	factReview = "review"
	factIssues = "serving_issues"
)

// Reviewed reports whether the service reviews a kind.
func Reviewed(s *resource.Schema) bool {
	return slices.ContainsFunc(s.Facts, func(f resource.Fact) bool { return f.Name == factReview })
}

// State is where an ad stands with the service.
type State string

// The states, the one that asks most of a person first.
const (
	Rejected State = "rejected"
	Limited  State = "limited" // approved, and not shown to all it is aimed at
	InReview State = "in review"
	Approved State = "approved"
)

// Words is the state as people read it. A word of the service that nobody knows stands for itself.
func (s State) Words() string {
	if !slices.Contains(order, s) {
		return string(s)
	}
	return catalogue.Say("review.state." + strings.ReplaceAll(string(s), " ", "-"))
}

// The words of the service.
const (
	saidRejected = "rejected"
	saidInReview = "in_review"
	saidApproved = "approved"
)

// Standing is what the service said last of one ad.
type Standing struct {
	Address string    `json:"address"`
	ID      string    `json:"id"`
	Name    string    `json:"name"`           // what people call it
	In      string    `json:"in,omitempty"`   // the names of what it stands beneath, the highest first
	Said    string    `json:"said,omitempty"` // review_status, as the service says it
	Reason  string    `json:"reason,omitempty"`
	Issues  []string  `json:"issues,omitempty"`
	Since   time.Time `json:"since"` // when it was first seen so
	Read    time.Time `json:"read"`  // when it was read last
	Asked   time.Time `json:"asked"` // when it was asked for last, and not only seen in a plan
	Told    string    `json:"told,omitempty"`
}

// Of returns what the facts of a resource say; false where they say nothing of a review.
func Of(facts resource.Attributes) (Standing, bool) {
	said, reason, _ := strings.Cut(facts.Value(factReview).Text(), ": ")
	s := Standing{Said: said, Reason: reason}
	if issues := facts.Value(factIssues).Text(); issues != "" {
		s.Issues = strings.Split(issues, ", ")
	}
	return s, said != "" || len(s.Issues) > 0
}

// known reports whether the service said anything of the ad.
func (s *Standing) known() bool { return s != nil && (s.Said != "" || len(s.Issues) > 0) }

// State returns where the ad stands. A word of the service that nobody knows limits it.
func (s *Standing) State() State {
	switch {
	case s.Said == saidRejected:
		return Rejected
	case s.Said == saidInReview:
		return InReview
	case s.Said != saidApproved && s.Said != "", slices.ContainsFunc(s.Issues, limits):
		return Limited
	}
	return Approved
}

// mark is another where there is something else to say of the ad.
func (s *Standing) mark() string {
	return strings.Join(append([]string{s.Said, s.Reason}, slices.DeleteFunc(slices.Clone(s.Issues), follow)...), "|")
}

func follow(code string) bool { return !limits(code) }

// alike reports whether two standings have the same mark.
func alike(a, b *Standing) bool {
	if a.Said == b.Said && a.Reason == b.Reason && slices.Equal(a.Issues, b.Issues) {
		return true // as nearly all are
	}
	return a.mark() == b.mark()
}

// Line is where an ad stands, in words.
type Line struct {
	Address string    `json:"address"`
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	In      string    `json:"in,omitempty"`
	State   State     `json:"state"`
	Reason  string    `json:"reason,omitempty"` // in the service's words
	Issues  []string  `json:"issues,omitempty"` // likewise, without those that the files or the review say already
	Means   string    `json:"means,omitempty"`
	Do      string    `json:"do,omitempty"`
	Since   time.Time `json:"since"`
}

// Line puts a standing in words. They are printable.
func (s *Standing) Line() Line {
	l := Line{
		Address: diag.Printable(s.Address), ID: diag.Printable(s.ID),
		Name: diag.Printable(s.Name), In: diag.Printable(s.In), State: s.State(), Since: s.Since,
	}
	var means, do []string
	add := func(m, d string) {
		means = append(means, diag.Printable(m))
		if d != "" && !slices.Contains(do, d) {
			do = append(do, d)
		}
	}
	switch {
	case l.State == Rejected:
		l.Reason = diag.Printable(s.Reason)
		add(whyRejected(s.Reason))
	case l.State == InReview:
		add(catalogue.Say("review.waits"), "")
	case l.State == Limited && s.Said != saidApproved && s.Said != "":
		what := strings.ReplaceAll(strings.TrimSuffix(s.Said+": "+s.Reason, ": "), "_", " ")
		add(catalogue.Say("review.calls", "what", what), doing("ask"))
	}
	for _, code := range s.Issues {
		if limits(code) {
			l.Issues = append(l.Issues, diag.Printable(code))
			add(whyNotServed(code))
		}
	}
	l.Means, l.Do = strings.Join(means, "; "), strings.Join(do, "; ")
	return l
}

// cells is what a table says of a standing, in words; of a kind, as it says it of itself.
func (s *Standing) cells(kind resource.Kind) (said, serving string) {
	said = strings.ReplaceAll(s.Said, "_", " ")
	switch {
	case s.Said == saidRejected:
		means, _ := whyRejected(s.Reason)
		said += ": " + means
	case s.Said != said && s.Said != saidInReview: // nobody knows the word: it stands behind
		said += " (" + s.Said + ")"
	}
	var keeps []string
	for _, code := range s.Issues {
		means, _ := whyNotServed(code)
		if _, known := issues[code]; !known {
			means += " (" + code + ")"
		}
		keeps = append(keeps, cmp.Or(ofItself(kind, code), means))
	}
	return diag.Printable(said), diag.Printable(strings.Join(keeps, "; "))
}

// MaySay reports whether a text may be what a table once said of a fact, in words: an unknown
// code of the service stands in brackets.
func MaySay(fact, text string) bool {
	if fact == factReview {
		words, word, unknown := strings.Cut(strings.TrimSuffix(text, ")"), " (")
		return text == strings.ReplaceAll(saidInReview, "_", " ") || unknown && strings.Contains(word, "_") &&
			words == strings.ReplaceAll(word, "_", " ")
	}
	unknown, _ := whyNotServed("")
	for part := range strings.SplitSeq(text, "; ") {
		known := false
		for code := range issues {
			means, _ := whyNotServed(code)
			known = known || part == means || part == ofItself("campaign", code) || part == ofItself("ad_group", code)
		}
		if !known && !strings.HasPrefix(part, unknown+" (") {
			return false
		}
	}
	return fact == factIssues
}

// InWords puts what an export has of reviews in words, and has the remark of each ad that is not
// approved say why.
func InWords(export *resource.Snapshot) {
	for r := range export.All() {
		s, known := Of(r.Facts)
		if !known {
			continue
		}
		said, serving := s.cells(r.Address.Kind)
		r.Facts = slices.Clone(r.Facts) // which are those of what was read: it may be exported once more
		r.Facts.Set(factReview, resource.Text(said))
		r.Facts.Set(factIssues, resource.Text(serving))
		if l := s.Line(); l.State != Approved {
			r.Facts.Set(resource.Remark, resource.Text(l.State.Words()+": "+l.Why()))
		}
	}
}

// Called is the ad as people call it: its name, and what it stands beneath.
func (l Line) Called() string {
	name := cmp.Or(l.Name, l.Address)
	if l.In != "" {
		return catalogue.Say("review.ad", "name", name, "above", l.In)
	}
	return catalogue.Say("name.quoted", "name", name)
}

// Why is what the state means, with the codes of the service behind it.
func (l Line) Why() string {
	codes := l.Issues
	if l.Reason != "" {
		codes = append([]string{l.Reason}, codes...)
	}
	if len(codes) == 0 {
		return l.Means
	}
	return l.Means + " (" + strings.Join(codes, ", ") + ")"
}

// Text is a whole sentence or two: why, and what to do.
func (l Line) Text() string { return l.sentences(l.Why()) }

// InWords is Text without the codes that words are known for.
func (l Line) InWords() string { return l.sentences(l.WhyInWords()) }

// WhyInWords is Why without the codes that words are known for.
func (l Line) WhyInWords() string {
	_, known := reasons[l.Reason]
	codes := slices.DeleteFunc(slices.Clone(l.Issues), func(code string) bool { _, is := issues[code]; return is })
	if l.Reason != "" && !known {
		codes = append(codes, l.Reason)
	}
	if len(codes) == 0 {
		return l.Means
	}
	return l.Means + " (" + strings.Join(codes, ", ") + ")"
}

func (l Line) sentences(why string) string {
	state := words.Upper(l.State.Words())
	if l.Do != "" {
		return catalogue.Say("review.says-do", "state", state, "why", why, "do", words.Upper(l.Do))
	}
	return catalogue.Say("review.says", "state", state, "why", why)
}
