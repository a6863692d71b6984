package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/insights"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// figuresFlags are those that insights and hotels share.
type figuresFlags struct {
	span, from, to string
	by             string
	compare        bool
	compareRows    bool
	charted        []string
	out            string
	force          bool
}

// register adds the flags of every report; by are the pieces of time that it has beside none.
func (f *figuresFlags) register(c *cobra.Command, env *session.Env, by ...string) {
	c.Flags().StringVar(&f.span, "span", "7d", insights.Spans)
	c.Flags().StringVar(&f.from, "from", "", "first day, or hour such as 2026-11-01T15, instead of --span")
	c.Flags().StringVar(&f.to, "to", "", "last day or hour, inside (default: the current one)")
	c.Flags().StringVar(&f.by, "by", "none", "cut by "+console.OrList(append(by, "none")))
	console.Completes(c, "by", append([]string{"none"}, by...)...)
	c.Flags().StringSliceVar(&f.charted, "chart", nil, "draw these figures (default: spend)")
	c.Flags().Lookup("chart").NoOptDefVal = "spend"
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	console.ForceFlag(c, &f.force)
	for _, end := range []string{"from", "to"} {
		c.MarkFlagsMutuallyExclusive("span", end)
	}
	env.Outputs(c, insights.Forms...)
}

// registerCompared adds the flags of every report that has the change against the span before.
func (f *figuresFlags) registerCompared(c *cobra.Command, env *session.Env, by ...string) {
	f.register(c, env, by...)
	c.Flags().Lookup("by").Usage += "; weeks begin on Monday"
	c.Flags().BoolVar(&f.compare, "compare", true, "the change against the span before; --compare=false asks less")
	c.Flags().BoolVar(&f.compareRows, "compare-rows", false, "the change against the span before in each row, too")
	c.Flags().StringVar(&f.span, "figures", "7d", "an older name of --span")
	if err := c.Flags().MarkHidden("figures"); err != nil {
		panic("no flag --figures: " + err.Error())
	}
	for _, name := range []string{"span", "from", "to"} {
		c.MarkFlagsMutuallyExclusive("figures", name)
	}
}

// together refuses flags that do not go together.
func (f *figuresFlags) together() error {
	if f.compareRows && !f.compare {
		return errors.New("--compare-rows is there with --compare=false; want one of them")
	}
	return nil
}

// begin opens the project's state and the service, for reading.
func (f *figuresFlags) begin(env *session.Env, c *cobra.Command, dir string) (*session.Session, error) {
	if env.Flags.Output == "xlsx" && f.out == "" && console.IsTerminal(env.Out) {
		return nil, console.Usage(c, errors.New("a workbook does not belong on a terminal; use --out FILE"))
	}
	if f.out != "" {
		if err := f.file().Free(); err != nil {
			return nil, err
		}
	}
	for name, none := range map[string]string{"attribution": "0", "view-through": "-1"} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == none {
			return nil, console.Usage(c, fmt.Errorf("--%s is %s; want a window that the service has, or leave it out",
				name, none))
		}
	}
	project, problems := session.ReadProject(env, dir)
	l := session.Loaded{Project: project, Schemas: session.Schemas()}
	if err := session.Invalid(env, l, problems); err != nil {
		return nil, err
	}
	return session.Connect(c.Context(), env, l, true)
}

func (f *figuresFlags) file() console.NewFile {
	return console.NewFile{Flag: "--out", Name: f.out, Force: f.force}
}

// about is what every report is of: account, zone, span and what the files name. The zone of
// the days is the account's where none is named.
func (f *figuresFlags) about(c *cobra.Command, s *session.Session, zone string) (about insights.About, err error) {
	now, err := s.Agent.Present(c.Context())
	if err != nil {
		return about, err
	}
	about = insights.About{Account: s.Agent.Account.ID, Currency: s.Agent.Account.Currency, Zone: s.Agent.Zone,
		Now: now, By: f.by, Addresses: map[string]string{}}
	if zone != "" {
		if about.Zone, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			return about, console.Usage(c, fmt.Errorf("--timezone is %q; want such as Europe/Berlin", zone))
		}
	}
	if f.from != "" || f.to != "" {
		about.Span, err = insights.Between(f.from, f.to, now.In(about.Zone))
	} else {
		about.Span, err = insights.NamedSpan(f.span, now.In(about.Zone))
	}
	if err != nil {
		return about, console.Usage(c, err)
	}
	last, err := s.Store.Last(c.Context())
	if err != nil {
		return about, err
	}
	for r := range last.All() {
		about.Addresses[r.ID] = r.Address.String()
	}
	return about, nil
}

// idsOf finds the ids of addresses, by kind.
func idsOf(picks []reconcile.Pick, addresses map[string]string) (map[string][]string, error) {
	ids := map[string][]string{}
	for _, pick := range picks {
		found := pick.ID
		for id, address := range addresses {
			if found == "" && address == pick.Address.String() {
				found = id
			}
		}
		if found == "" {
			return nil, console.Configuration("%s is not in adsync's record; want the address of what was applied",
				diag.Printable(pick.Address.String()))
		}
		kind := string(pick.Address.Kind)
		ids[kind] = append(ids[kind], found)
	}
	return ids, nil
}

// show asks and writes the report, whole or not at all where it is a file.
func (f *figuresFlags) show(env *session.Env, c *cobra.Command,
	ask func(context.Context) (*insights.Report, error)) (err error) {
	report, err := ask(c.Context())
	defer func() { session.Closed(env, "figures", report.Close()) }()
	env.ClearLine()
	if err != nil {
		return fmt.Errorf("read figures: %w", err)
	}
	if err := report.CheckChart(f.charted); err != nil {
		return console.Usage(c, err)
	}
	write := func(w io.Writer) error {
		if env.Flags.Output == "json" {
			w = &console.VisibleLines{To: w}
		}
		return report.Write(w, env.Flags.Output, f.charted, console.WidthOf(env.Out))
	}
	if f.out == "" {
		return write(env.Out)
	}
	if err := f.file().Write(write); err != nil {
		return err
	}
	env.Note("%s: %s", diag.Printable(f.out), console.Plural(report.Len(), "row"))
	return nil
}
