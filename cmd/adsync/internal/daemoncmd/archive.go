package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/icons"
	"adsync/internal/outside"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
)

// archive is what the state of an account keeps of its runs, read as it is now.
type archive struct {
	env    *session.Env
	orders *session.Lease
	kept   func(ctx context.Context, run string) (*runs.KeptRuns, error) // with the report of one run, "" of none
	mirror func(ctx context.Context) (state.Store, error)                // the account as it was last read
	serial func(ctx context.Context) int64                               // of the state that has it; 0: not known

	settings keptSettings
	earlier  figures.Earlier
}

// archiveAt is that of an account with its files in a folder, or in the copy of a repository that env has.
func archiveAt(env *session.Env, orders *session.Lease, dir string) *archive {
	return &archive{env: env, orders: orders, kept: func(ctx context.Context, _ string) (*runs.KeptRuns, error) {
		return runs.Kept(ctx, env, dir)
	}, mirror: func(ctx context.Context) (state.Store, error) {
		project, err := session.ProjectOf(env, dir)
		if err != nil {
			return nil, err
		}
		return session.OpenMirror(ctx, env, project)
	}, serial: func(ctx context.Context) int64 {
		project, err := session.ProjectOf(env, dir)
		if err != nil {
			return 0
		}
		return serialOf(ctx, env, project)
	}}
}

// mostRuns is how many runs are listed.
const mostRuns = 100

func (r *archive) Runs(ctx context.Context) ([]runview.Head, error) {
	kept, err := r.kept(ctx, "")
	if err != nil {
		return nil, err
	}
	defer kept.End()
	runs, err := kept.Store.Runs(ctx, mostRuns)
	if err != nil {
		return nil, err
	}
	heads := make([]runview.Head, 0, len(runs))
	for _, run := range runs {
		head, err := kept.Head(run)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (r *archive) Report(ctx context.Context, run string) (*runview.Document, error) {
	kept, err := r.kept(ctx, run)
	if err != nil {
		return nil, err
	}
	defer kept.End()
	if run, err = kept.Named(ctx, run); err != nil {
		return nil, err
	}
	return kept.Document(ctx, run)
}

// Touched reads the reports of runs, one after the other.
func (r *archive) Touched(ctx context.Context, since time.Time) (all []daemon.Touched, _ error) {
	heads, err := r.Runs(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := r.kept(ctx, "")
	if err != nil {
		return nil, err
	}
	defer kept.End()
	for i := range heads {
		h := &heads[i]
		if h.Touched == 0 || h.Started.Before(since) {
			continue
		}
		content, err := kept.Store.Report(ctx, h.Run)
		if errors.Is(err, state.ErrNoReport) { // a database gives the history with one at a time
			var one *runs.KeptRuns
			if one, err = r.kept(ctx, h.Run); err != nil {
				return nil, err
			}
			content, err = one.Store.Report(ctx, h.Run)
			one.End()
		}
		if errors.Is(err, state.ErrNoReport) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d, err := runview.Decode(content)
		if err != nil {
			return nil, err
		}
		for k := range d.Outcomes {
			if o := &d.Outcomes[k]; o.Outcome == state.OutcomeApplied {
				all = append(all, daemon.Touched{Run: h.Run, Address: o.Address, ID: o.ID, Name: o.Name})
			}
		}
	}
	return all, nil
}

func (r *archive) Exposures() ([]daemon.Point, error) { return r.orders.Exposures() }

func (r *archive) Figures() figures.Kept {
	kept := r.orders.Figures()
	kept.Earlier = &r.earlier
	return kept
}

func (r *archive) Comments() comments.Kept { return comments.Kept{Store: r.orders.Place} }

func (r *archive) Outside() outside.Kept { return outside.Kept{Store: r.orders.Place} }

func (r *archive) Icons() icons.Kept { return icons.Kept{Store: r.orders.Place} }

func (r *archive) Ordered() ([]daemon.Ordered, error) { return r.orders.Place.Ordered() }

// Settings are what levels are set to in the account as the last run read it. Nobody changes the maps: they are
// everybody's.
func (r *archive) Settings(ctx context.Context, levels []string) (map[string]map[string]daemon.Setting, error) {
	if all, kept := r.settings.of(r.serial(ctx), levels); kept {
		return all, nil
	}
	all, serial, err := r.readSettings(ctx, levels)
	if err == nil {
		r.settings.keep(serial, all)
	}
	return all, err
}

// readSettings reads them, and the serial of the state that has them.
func (r *archive) readSettings(ctx context.Context, levels []string) (all map[string]map[string]daemon.Setting,
	serial int64, _ error) {
	schemas := slices.DeleteFunc(session.Schemas(), func(s *resource.Schema) bool {
		return !slices.Contains(levels, s.Insights)
	})
	for _, s := range schemas {
		s.Attributes = slices.DeleteFunc(s.Attributes, func(a resource.Attribute) bool {
			return !a.Review && a.Spend != resource.Delivery && a.Per == "" && !slices.Contains(s.NameFrom, a.Name) &&
				a.Wire.Codec != resource.StartTime && a.Wire.Codec != resource.EndTime
		})
		s.Attributes = append(s.Attributes, created, changed)
		s.Noted = nil // all that is not looked at costs its time
		if !review.Reviewed(s) {
			s.Facts = nil
		}
	}
	store, err := r.mirror(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { session.Closed(r.env, "state", store.Close()) }()
	m, err := store.Mirror(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("read the account as it was last read: %w", err)
	}
	all = map[string]map[string]daemon.Setting{}
	for _, level := range levels {
		all[level] = map[string]daemon.Setting{}
	}
	files, err := store.Files(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("read the uploaded images: %w", err)
	}
	uploaded := make(map[string]string, len(files))
	for source, id := range files {
		uploaded[id] = source
	}
	for _, live := range reconcile.Mirrored(schemas, m, time.UTC) { // its ids are cut from many records
		schema := schemas.Of(live.Address.Kind)
		s := settingOf(schema, live)
		if runs.HasPicture(schemas, schema.Kind) {
			s.Look = lookOf(live, uploaded)
		}
		all[schema.Insights][strings.Clone(live.ID)] = s
	}
	return all, store.Header().Serial, nil
}

// keptSettings are those of levels, as long as the state has the same serial and somebody looks at them.
type keptSettings struct {
	mu     sync.Mutex
	serial int64
	levels map[string]map[string]daemon.Setting
	forget *time.Timer
}

// keptFor is how long after the last look settings are kept.
const keptFor = 10 * time.Minute

// of returns levels of a serial; false where one of them is not kept.
func (k *keptSettings) of(serial int64, levels []string) (map[string]map[string]daemon.Setting, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if serial == 0 || serial != k.serial {
		return nil, false
	}
	all := map[string]map[string]daemon.Setting{}
	for _, level := range levels {
		kept, there := k.levels[level]
		if !there {
			return nil, false
		}
		all[level] = kept
	}
	k.forget.Reset(keptFor)
	return all, true
}

func (k *keptSettings) keep(serial int64, levels map[string]map[string]daemon.Setting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if serial != k.serial || k.levels == nil {
		k.serial, k.levels = serial, map[string]map[string]daemon.Setting{}
	}
	maps.Copy(k.levels, levels)
	if k.forget == nil {
		k.forget = time.AfterFunc(keptFor, k.drop)
	}
	k.forget.Reset(keptFor)
}

func (k *keptSettings) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.serial, k.levels = 0, nil
}

// serialOf is the serial of a state of which it costs little to know; else 0.
func serialOf(ctx context.Context, env *session.Env, p config.Project) int64 {
	at, err := session.PlaceOf(ctx, env, p)
	if err != nil || at.Branch != nil { // a branch is asked over the network
		return 0
	}
	serial, _ := at.SerialOf(ctx) // who reads it says what is wrong with it
	return serial
}

// created and changed are what each record says besides the attributes of its kind.
var (
	created = resource.Attribute{Name: "created_at", Type: resource.TypeDay,
		Wire: resource.Wire{Path: "created_at", Codec: resource.StartTime}}
	changed = resource.Attribute{Name: "updated_at", Type: resource.TypeDay,
		Wire: resource.Wire{Path: "updated_at", Codec: resource.StartTime}}
)

func settingOf(schema *resource.Schema, live *resource.Resource) daemon.Setting {
	s := daemon.Setting{Name: schema.NameOf(live), Parent: strings.Clone(live.ParentID), Removed: schema.Removed(live)}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		micros, _ := live.Value(a.Name).Number()
		switch {
		case a.Name == created.Name:
			s.Created = momentOf(live.Value(a.Name), resource.StartSeconds)
		case a.Name == changed.Name:
			s.Changed = momentOf(live.Value(a.Name), resource.StartSeconds)
		case a.Wire.Codec == resource.StartTime:
			s.Starts = momentOf(live.Value(a.Name), resource.StartSeconds)
		case a.Wire.Codec == resource.EndTime:
			s.Ends = momentOf(live.Value(a.Name), resource.EndSeconds)
		case a.Spend == resource.Delivery:
			s.Status = live.Value(a.Name).Text()
		case a.Spend == resource.Amount && a.Per == "day":
			s.Daily = micros
		case a.Spend == resource.Amount && a.Per == "lifetime":
			s.Lifetime = micros
		}
	}
	if standing, known := review.Of(live.Facts); known && review.Reviewed(schema) {
		s.Review = string(standing.State())
		if standing.State() != review.Approved {
			line := standing.Line()
			s.Why, s.Do = line.Why(), line.Do
		}
	}
	return s
}

// lookOf is what people see of an ad; uploaded is what each file of the service was made of, by its id.
func lookOf(live *resource.Resource, uploaded map[string]string) *daemon.Look {
	card, image := runs.CardOf("", live.Attributes)
	if id, of := strings.CutPrefix(image, "file:"); of {
		image = cmp.Or(uploaded[id], image)
	}
	return &daemon.Look{Title: card.Title, Body: card.Body, Target: card.Target, Price: card.Price, Crop: card.Crop,
		Image: image}
}

// momentOf is the moment that a day stands for, which was decoded in UTC; zero where there is none.
func momentOf(v resource.Value, seconds func(string, *time.Location) (int64, error)) (at time.Time) {
	if unix, err := seconds(v.Text(), time.UTC); err == nil && unix > 0 {
		at = time.Unix(unix, 0).UTC()
	}
	return at
}

func (r *archive) Expose(p daemon.Point) error { return r.orders.Expose(p) }
