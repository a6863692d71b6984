package insights

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"adsync/internal/adsapi"
)

// Service answers with the rows of a list of figures.
type Service interface {
	Figures(ctx context.Context, collection string, query url.Values) iter.Seq2[adsapi.InsightsRow, error]
}

// mostParts bounds into how many parts a question is split.
const mostParts = 4096

// asker asks one question into a sink.
type asker struct {
	service Service
	sink    *Report
	path    string
	asked   int
}

// ask adds the rows of a question to the report.
func ask(ctx context.Context, service Service, sink *Report, of asking) error {
	a := &asker{service: service, sink: sink, path: of.path()}
	return a.part(ctx, of, of.whole())
}

// part asks for a part. What the service refuses as too many rows is asked for in halves:
// of its time or, where that is one piece, of its campaigns.
func (a *asker) part(ctx context.Context, of asking, p part) error {
	mark := a.sink.mark()
	query, err := of.values(p)
	if err == nil {
		err = a.rows(ctx, of, query)
	}
	if a.path != accountPath && errors.Is(err, adsapi.ErrNotFound) && a.asked == 0 {
		a.path = basePath(of) // an address that not every service has
		err = a.rows(ctx, of, query)
	}
	a.asked++
	if !errors.Is(err, adsapi.ErrTooManyRows) {
		return err
	}
	if a.asked > mostParts {
		return fmt.Errorf("after %d requests in parts: %w", a.asked, err)
	}
	a.sink.reset(mark)
	if first, second, ok := p.span.halves(of.by()); ok {
		return a.both(ctx, of, part{first, p.parents}, part{second, p.parents})
	}
	parents := p.parents
	if parents == nil {
		if parents, err = a.parents(ctx, of, p, err); err != nil {
			return err
		}
	}
	if len(parents) < 2 {
		return fmt.Errorf("%s cannot be asked for in smaller parts: %w", p.span, err)
	}
	middle := len(parents) / 2
	return a.both(ctx, of, part{p.span, parents[:middle]}, part{p.span, parents[middle:]})
}

func basePath(of asking) string {
	if h, ok := of.(*HotelQuestion); ok {
		return h.path()
	}
	return accountPath
}

func (a *asker) both(ctx context.Context, of asking, first, second part) error {
	if err := a.part(ctx, of, first); err != nil {
		return err
	}
	return a.part(ctx, of, second)
}

func (a *asker) rows(ctx context.Context, of asking, query url.Values) error {
	layout := of.layout()
	for row, err := range a.service.Figures(ctx, a.path, query) {
		if err != nil {
			return err
		}
		if err := a.sink.add(layout, row); err != nil {
			return err
		}
	}
	return nil
}

// parents asks which campaigns a part has rows of. refused is why it is split.
func (a *asker) parents(ctx context.Context, of asking, p part, refused error) ([]string, error) {
	query, err := of.parentsOf(p)
	if err != nil {
		return nil, err
	}
	if query == nil {
		return nil, fmt.Errorf("%s cannot be asked for in smaller parts: %w", p.span, refused)
	}
	var ids []string
	for row, err := range a.service.Figures(ctx, accountPath, query) {
		if err != nil {
			return nil, fmt.Errorf("which campaigns have figures: %w", err)
		}
		ids = append(ids, row.Fields["campaign_id"])
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
