package figures

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"time"
)

// Spent returns what resources of a level spent, each since the day of a moment of its own, and until when: the moment
// at which the newest day was read. Left out are those of which a day was not read, or a figure is not known. now is
// in the account's zone.
func (k Kept) Spent(level string, since map[string]time.Time, now time.Time) (map[string]int64, time.Time, error) {
	index, err := k.Index()
	if err != nil || len(index.Taken) == 0 {
		return nil, time.Time{}, err
	}
	day := midnight(now)
	if _, read := index.Taken[day.Format(dateForm)]; !read {
		day = day.AddDate(0, 0, -1)
	}
	until := time.Unix(index.Taken[day.Format(dateForm)], 0).In(now.Location())
	if end := day.AddDate(0, 0, 1); until.After(end) {
		until = end
	}
	spent, first := map[string]int64{}, map[string]string{}
	oldest := index.unbroken(day)
	for id, from := range since {
		if date := from.In(now.Location()).Format(dateForm); date >= oldest && !from.After(until) {
			spent[id], first[id] = 0, date
		}
	}
	for ; len(first) > 0; day = day.AddDate(0, 0, -1) {
		date := day.Format(dateForm)
		rows, _, err := k.level(date, slices.Index(Levels[:], level))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			maps.DeleteFunc(spent, func(id string, _ int64) bool { return first[id] != "" })
			return spent, until, nil
		case err != nil:
			return nil, until, err
		}
		for i := range rows {
			spend := slices.Index(metrics[:], "spend")
			switch row := &rows[i]; {
			case first[row.ID] == "":
			case !row.Known[spend], row.Values[spend] > math.MaxInt64-spent[row.ID]:
				delete(spent, row.ID)
				delete(first, row.ID)
			default:
				spent[row.ID] += row.Values[spend]
			}
		}
		maps.DeleteFunc(first, func(_, from string) bool { return from >= date })
	}
	return spent, until, nil
}

// unbroken is the oldest day of those that were read without a gap until a day; one after it where that was not.
func (i *Index) unbroken(day time.Time) string {
	for {
		if _, read := i.Taken[day.Format(dateForm)]; !read {
			return day.AddDate(0, 0, 1).Format(dateForm)
		}
		day = day.AddDate(0, 0, -1)
	}
}

func midnight(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
}
