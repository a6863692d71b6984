package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Report is a report of accounts that the daemon sends again and again.
type Report struct {
	Day      string        // one of reportDays
	At       time.Duration // since midnight, in the time zone of the account
	Span     string        // one of ReportSpans, or a number of days such as 7d
	Format   Setting       // one of those that the places take; zero: the usual one of each
	Attach   Setting       // to a mail: xlsx; zero: nothing
	To       []Notify      // the places of people
	Position diag.Position

	accounts []Setting // "" for all
	people   []Setting
}

// reportDays are the days on which a report is sent.
var reportDays = []string{"daily", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	"first-of-month"}

// ReportSpans are the named spans of a report.
var ReportSpans = []string{"today", "yesterday", "this-week", "last-week", "this-month", "last-month"}

// spanDays is a span that is a number of days.
var spanDays = pattern.Of(`^[1-9][0-9]{0,2}d$`)

// mostreportDays is how many days a report is of at most.
const mostreportDays = 200

// reportFormats are those that a place takes, the usual one first. The others have a form of their own.
var reportFormats = map[string][]string{"email": {"html", "markdown"}, "webhook": {"json", "markdown"}}

// UsualFormat returns the format that a place gets where nothing is said; "" for a form of its own.
func UsualFormat(place string) string {
	if formats := reportFormats[place]; len(formats) > 0 {
		return formats[0]
	}
	return ""
}

// readReports reads a list of reports.
func readReports(w *settingReader, node *yaml.Node) (all []Report) {
	const example = "for example - {every: monday 08:00, span: last-week, to: [anna]}"
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, "reports is "+yamlnode.ShapeOf(node)+"; want a list", example)
		return nil
	}
	for _, entry := range node.Content {
		r := Report{Position: w.At(entry)}
		problems := len(w.Problems)
		r.read(w, entry)
		if len(w.Problems) > problems {
			continue
		}
		if r.Day == "" || len(r.people) == 0 {
			const message = "a report has no every or no to; want when it is sent, and to whom"
			w.Report(entry, diag.BadProject, message, example)
			continue
		}
		all = append(all, r)
	}
	return all
}

// usualSpans are the spans of a report that names none, by its day; of a day of the week it is last-week.
var usualSpans = map[string]string{"daily": "yesterday", "first-of-month": "last-month"}

func (r *Report) read(w *settingReader, node *yaml.Node) {
	w.fields(node, "reports", map[string]func(*yaml.Node){
		"every":    func(n *yaml.Node) { r.readEvery(w, n) },
		"span":     func(n *yaml.Node) { r.Span = w.reportSpan(n) },
		"accounts": func(n *yaml.Node) { r.accounts = w.settings(n, "reports.accounts") },
		"to":       func(n *yaml.Node) { r.people = w.settings(n, "reports.to") },
		"format":   func(n *yaml.Node) { r.Format = w.choice(n, "reports.format", "html", "markdown", "json") },
		"attach":   func(n *yaml.Node) { r.Attach = w.choice(n, "reports.attach", "xlsx") },
	})
	if r.Span == "" {
		r.Span = "last-week"
		if usual := usualSpans[r.Day]; usual != "" {
			r.Span = usual
		}
	}
}

// readEvery reads a day and a time of it, such as monday 08:00.
func (r *Report) readEvery(w *settingReader, node *yaml.Node) {
	value := w.setting(node, "reports.every").Value
	day, clock, _ := strings.Cut(value, " ")
	at, err := time.Parse("15:04", clock)
	if !slices.Contains(reportDays, day) || err != nil {
		hint := diag.DidYouMean(day, reportDays)
		if hint == "" {
			hint = "for example every: monday 08:00"
		}
		w.Report(node, diag.BadProject, fmt.Sprintf("reports.every is %q; want daily, a day of the week or "+
			"first-of-month, and a time of the day", value), hint)
		return
	}
	r.Day, r.At = day, time.Duration(at.Hour())*time.Hour+time.Duration(at.Minute())*time.Minute
}

func (w *settingReader) reportSpan(node *yaml.Node) string {
	value := w.setting(node, "reports.span").Value
	days, _ := strconv.Atoi(strings.TrimSuffix(value, "d"))
	if slices.Contains(ReportSpans, value) || spanDays.MatchString(value) && days <= mostreportDays {
		return value
	}
	w.Report(node, diag.BadProject, fmt.Sprintf("reports.span is %q; want %s, or days such as 7d, at most %dd", value,
		strings.Join(ReportSpans, ", "), mostreportDays), diag.DidYouMean(value, ReportSpans))
	return ""
}

// scheduled gives each account its reports, with the places of people in the place of their names.
func (d *Daemon) scheduled(w *settingReader, reports []Report, people map[string]Notify, server *Notify) {
	names, broken := map[string]int{}, len(w.Problems) > 0 // an account with a problem is not among them
	for i := range d.Accounts {
		names[d.Accounts[i].Name.Value] = i
	}
	for _, r := range reports {
		problems := len(w.Problems)
		if d.NoFigures {
			w.reportAt(r.Position, "a report is of figures, and figures is false; want true", "")
		}
		for _, name := range r.people {
			one, problem := d.reached(name, people, server)
			if problem != nil {
				w.Problems = append(w.Problems, *problem)
				continue
			}
			if !slices.ContainsFunc(r.To, func(n Notify) bool { return n.Person == one.Person }) {
				r.To = append(r.To, one)
			}
		}
		r.check(w)
		for _, name := range r.accounts {
			if _, known := names[name.Value]; !known && !broken {
				w.reportAt(name.Position, fmt.Sprintf("reports.accounts names %q, which is none of accounts; "+
					"want a name that stands there", name.Value),
					diag.DidYouMean(name.Value, slices.Sorted(maps.Keys(names))))
			}
		}
		if len(w.Problems) > problems {
			continue
		}
		for name, i := range names {
			named := func(s Setting) bool { return s.Value == name }
			if len(r.accounts) == 0 || slices.ContainsFunc(r.accounts, named) {
				d.Accounts[i].Reports = append(d.Accounts[i].Reports, r)
			}
		}
	}
}

// check wants the format and what is attached to be taken by the places.
func (r *Report) check(w *settingReader) {
	mails := false
	for _, n := range r.To {
		mails = mails || n.Form == "email"
		takes := reportFormats[n.Form]
		if r.Format.Value == "" || slices.Contains(takes, r.Format.Value) {
			continue
		}
		want := "no format, as that has a form of its own"
		if len(takes) > 0 {
			want = strings.Join(takes, " or ")
		}
		w.reportAt(r.Format.Position, fmt.Sprintf("reports.format is %q, and %s is told by %s; want %s",
			r.Format.Value, n.Person, n.Form, want), "")
	}
	if r.Attach.Value != "" && !mails && len(r.To) > 0 {
		const message = "reports.attach is of a mail, and nobody of to is told by mail; want no attach"
		w.reportAt(r.Attach.Position, message, "")
	}
}

func (w *settingReader) reportAt(at diag.Position, message, hint string) {
	w.Problems = append(w.Problems, diag.Problem{
		Severity: diag.Error, Code: diag.BadProject, Position: at, Message: message, Hint: hint,
	})
}
