package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/cards"
	"adsync/internal/diag"
	"adsync/internal/fetch"
	"adsync/internal/public"
	"adsync/internal/resource"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// previewFlags are those of preview.
type previewFlags struct {
	out   string
	drawn bool
	open  bool
	force bool
}

// mostOpened is how many previews a browser is given.
const mostOpened = 10

// previewLife is how long the address of a preview holds, about (service facts, 4.4).
const previewLife = 24 * time.Hour

// previewPage is the page in the folder of --out.
const previewPage = "previews.html"

// Preview returns the command adsync preview.
func Preview(env *session.Env) *cobra.Command {
	var f previewFlags
	c := &cobra.Command{
		Use:   "preview [FOLDER] [ADDRESS...]",
		Short: "Show how ads look: the service's preview of a live one, and a drawing of what the files say",
		Long: `Show how ads look. Of an ad that adsync applied the service is asked for a preview: the
command prints its address, which anybody may open until it ends, about a day later. With
--out a page is written that shows every ad as a card, drawn by adsync from the files,
beside those addresses; with --drawn the service is not asked. Addresses narrow it to
these ads. Nothing is changed.

Pictures at an address of the internet are fetched for the page, and only from there:
what else the operator's file lists in reach: is fetched too, and nothing beside. With
--open your browser opens the service's previews, each of which is an https address.`,
		Example: `  adsync preview --out previews
  adsync preview --open ad/spring-launch/runners/hero-a`,
		RunE: func(c *cobra.Command, args []string) error { return runPreview(env, c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out", "", "folder for a page with a card of each ad, "+previewPage)
	c.Flags().BoolVar(&f.drawn, "drawn", false, "draw from the files alone; the service is not asked")
	c.Flags().BoolVar(&f.open, "open", false,
		fmt.Sprintf("open the service's previews in your browser, %d at most", mostOpened))
	console.ForceFlag(c, &f.force)
	env.Outputs(c, "text", "json")
	return c
}

// PreviewDocument is the JSON form of preview.
type PreviewDocument struct {
	FormatVersion int          `json:"format_version"`
	Page          string       `json:"page"` // the page with the drawings, "" without --out
	Ads           []previewRow `json:"ads"`
}

// previewRow is how one ad is shown.
type previewRow struct {
	Address string     `json:"address"`
	ID      string     `json:"id"`         // "" where adsync has applied none
	Preview string     `json:"preview"`    // the service's, "" where there is none
	Ends    *time.Time `json:"ends"`       // about when that address ends
	Failed  string     `json:"failed"`     // why the service gave none
	Picture string     `json:"picture"`    // why the drawing has no picture, "" where it has one
	Price   string     `json:"price"`      // what the card shows as the price, "" where there is none
	Crop    string     `json:"image_crop"` // the part of the image that is shown, "" where that is the whole
}

func runPreview(env *session.Env, c *cobra.Command, args []string, f previewFlags) error {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return err
	}
	if f.drawn && f.out == "" {
		return console.Usage(c, errors.New("--drawn asks "+
			"no service, and nothing is drawn without --out; want a folder"))
	}
	var open func(address string) error
	if f.open {
		if f.drawn {
			return console.Usage(c, errors.New("--drawn asks for no preview, so that none is there to --open"))
		}
		if open, err = console.Browser(); err != nil {
			return console.Configuration("--open: %v", err)
		}
	}
	env.DraftsCount = true // whoever looks at an ad looks at what is written
	l := session.Load(c.Context(), env, dir)
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	ads, err := adsOf(c, l, picks)
	if err != nil {
		return err
	}
	if f.open && len(ads) > mostOpened {
		return console.Usage(c, fmt.Errorf("--open with %d ads; want at most %d: name them", len(ads), mostOpened))
	}
	d := PreviewDocument{FormatVersion: console.FormatVersion, Ads: make([]previewRow, len(ads))}
	for i, ad := range ads {
		card, _ := runs.CardOf(ad.Address.String(), ad.Attributes)
		d.Ads[i].Address, d.Ads[i].Price, d.Ads[i].Crop = card.Address, card.Price, card.Crop
	}
	if !f.drawn {
		if err := askPreviews(c.Context(), env, l, d.Ads); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := d.write(c.Context(), l, ads, f); err != nil {
			return err
		}
	}
	print := func() error { return d.text(env.Out) }
	if env.Flags.Output == "json" {
		print = func() error { return env.PrintJSON(d) }
	}
	if err := print(); err != nil {
		return err
	}
	failures := d.open(open)
	if failed := d.failed(); failed > 0 {
		failures = append(failures, console.Plural(failed, "preview")+" could not be had")
	}
	if len(failures) > 0 {
		return console.ExitWith(console.ExitUnavailable, strings.Join(failures, "; "))
	}
	return nil
}

// open opens the previews, and returns which could not be opened.
func (d *PreviewDocument) open(open func(address string) error) (failures []string) {
	for i := range d.Ads {
		if row := &d.Ads[i]; open != nil && row.Preview != "" {
			if err := open(row.Preview); err != nil {
				failures = append(failures, fmt.Sprintf("the preview of %s: %v", row.Address, err))
			}
		}
	}
	return failures
}

func (d *PreviewDocument) failed() (n int) {
	for i := range d.Ads {
		if d.Ads[i].Failed != "" {
			n++
		}
	}
	return n
}

// adsOf returns the ads of the files that are picked, all where none is.
func adsOf(c *cobra.Command, l session.Loaded, picks []reconcile.Pick) ([]*resource.Resource, error) {
	var ads []*resource.Resource
	for r := range l.Desired.Snapshot.All() {
		if runs.HasPicture(l.Schemas, r.Address.Kind) && len(picks) == 0 {
			ads = append(ads, r)
		}
	}
	for _, p := range picks {
		r := l.Desired.Snapshot.Get(p.Address)
		if r == nil || !runs.HasPicture(l.Schemas, r.Address.Kind) {
			return nil, console.Usage(c,
				fmt.Errorf("%s is no ad of the files; want the address of one, as plan shows it",
					diag.Printable(p.Address.String())))
		}
		ads = append(ads, r)
	}
	return ads, nil
}

// askPreviews asks for a preview of each ad that adsync has applied.
func askPreviews(ctx context.Context, env *session.Env, l session.Loaded, rows []previewRow) error {
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	defer env.ClearLine()
	if err := s.Agent.CheckAccount(ctx); err != nil {
		return err
	}
	last, err := s.Store.Last(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		address, _ := resource.ParseAddress(row.Address)
		r := last.Get(address)
		if r == nil || r.ID == "" {
			continue
		}
		row.ID = r.ID
		preview, err := adsapi.Preview(ctx, s.Agent.Service, r.ID)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			row.Failed = err.Error()
		case new(public.Reach).Refuse(preview) != "":
			row.Failed = "the service gave an address that is none of the public internet"
		default:
			ends := env.Clock.OrSystem().Now().Add(previewLife).UTC().Truncate(time.Minute)
			row.Preview, row.Ends = preview, &ends
		}
	}
	return nil
}

// write draws the page.
func (d *PreviewDocument) write(ctx context.Context, l session.Loaded, ads []*resource.Resource, f previewFlags) error {
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return console.Configuration("--out: %v", err)
	}
	d.Page = filepath.ToSlash(filepath.Join(f.out, previewPage))
	file := console.NewFile{Flag: "--out", Name: filepath.Join(f.out, previewPage), Force: f.force}
	if err := file.Free(); err != nil {
		return err
	}
	drawn := make([]cards.Card, len(ads))
	for i, ad := range ads {
		row := &d.Ads[i]
		card, picture := runs.CardOf(row.Address, ad.Attributes)
		card.Live = row.Preview
		if row.Ends != nil {
			card.LiveEnds = console.UTC(*row.Ends)
		}
		card.Picture, card.Left = pictureOf(ctx, l, picture)
		row.Picture, drawn[i] = card.Left, card
	}
	return file.Write(func(w io.Writer) error { return cards.WriteHTML(w, drawn) })
}

// pictureOf returns the picture of an ad, or why it is left out.
func pictureOf(ctx context.Context, l session.Loaded, source string) (content []byte, left string) {
	if !strings.Contains(source, "://") {
		_, content, err := l.Desired.ReadImage(l.Project, source)
		if err != nil {
			return nil, "picture left out: " + err.Error()
		}
		return content, ""
	}
	var f fetch.Fetcher
	if l.Project.Reach != nil {
		f.Reach = *l.Project.Reach
	}
	got, err := f.Get(ctx, source, fetch.Images())
	if err != nil {
		return nil, "picture left out: " + err.Error()
	}
	return got.Bytes, ""
}

func (d *PreviewDocument) text(w io.Writer) error {
	var b strings.Builder
	for i := range d.Ads {
		row := &d.Ads[i]
		switch {
		case row.Preview != "":
			fmt.Fprintf(&b, "%s\n  %s\n  ends about %s\n",
				row.Address, diag.Printable(row.Preview), console.UTC(*row.Ends))
		case row.Failed != "":
			fmt.Fprintf(&b, "%s  no preview: %s\n", row.Address, diag.Printable(row.Failed))
		default:
			fmt.Fprintf(&b, "%s  no preview of the service\n", row.Address)
		}
		if row.Price != "" {
			fmt.Fprintf(&b, "  price: %s\n", diag.Printable(row.Price))
		}
		if row.Crop != "" {
			fmt.Fprintf(&b, "  shows a part of the image: %s\n", diag.Printable(row.Crop))
		}
		if row.Picture != "" {
			fmt.Fprintf(&b, "  %s\n", diag.Printable(row.Picture))
		}
	}
	if len(d.Ads) == 0 {
		b.WriteString("the files have no ads\n")
	}
	if d.Page != "" {
		fmt.Fprintf(&b, "%s has a card of each, drawn by adsync\n", d.Page)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
