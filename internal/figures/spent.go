package figures

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// Earlier is what Spent added up of days that are not read anew any more, of the resources that it was asked for last:
// a day of many ads takes its time.
type Earlier struct {
	mu   sync.Mutex
	sums map[string]earlierSum // by id
}

type earlierSum struct {
	level, first, last string // of these days
	read               uint64 // and as they were read then
	micros             int64
}

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
	s := spending{level: level, index: &index, settled: midnight(now).AddDate(0, 0, -1-young).Format(dateForm),
		spent: map[string]int64{}, late: map[string]int64{}, first: map[string]string{}, wanted: map[string]string{}}
	oldest := index.unbroken(day)
	for id, from := range since {
		if date := from.In(now.Location()).Format(dateForm); date >= oldest && !from.After(until) {
			s.first[id], s.wanted[id], s.spent[id] = date, date, 0
		}
	}
	k.Earlier.recall(&s)
	for ; len(s.wanted) > 0; day = day.AddDate(0, 0, -1) {
		date := day.Format(dateForm)
		rows, _, err := k.level(date, slices.Index(Levels[:], level))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			maps.DeleteFunc(s.spent, func(id string, _ int64) bool { return s.wanted[id] != "" })
			return s.spent, until, nil
		case err != nil:
			return nil, until, err
		}
		s.add(date, rows)
	}
	k.Earlier.keep(&s)
	return s.spent, until, nil
}

// spending adds up days, the newest first.
type spending struct {
	level   string
	index   *Index
	settled string            // the newest day that is not read anew
	first   map[string]string // the first day of each resource
	wanted  map[string]string // the first that is still to be added
	spent   map[string]int64
	late    map[string]int64 // of spent, that of the days after settled
}

func (s *spending) add(date string, rows []dayRow) {
	spend := slices.Index(metrics[:], "spend")
	for i := range rows {
		id, micros := rows[i].ID, rows[i].Values[spend]
		switch {
		case s.wanted[id] == "":
		case !rows[i].Known[spend], micros > math.MaxInt64-s.spent[id]:
			delete(s.spent, id)
			delete(s.wanted, id)
		default:
			s.spent[id] += micros
			if date > s.settled {
				s.late[id] += micros
			}
		}
	}
	maps.DeleteFunc(s.wanted, func(_, first string) bool { return first >= date })
}

// recall puts in what was added up before of the same days.
func (e *Earlier) recall(s *spending) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, first := range s.first {
		before, known := e.sums[id]
		if known && before.level == s.level && before.first == first && before.last <= s.settled &&
			before.read == s.index.readOf(first, before.last) {
			s.spent[id], s.wanted[id] = before.micros, dayAfter(before.last)
		}
	}
}

// keep notes the days that are not read anew.
func (e *Earlier) keep(s *spending) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sums = map[string]earlierSum{}
	for id, micros := range s.spent {
		if first := s.first[id]; first <= s.settled {
			e.sums[id] = earlierSum{s.level, first, s.settled, s.index.readOf(first, s.settled), micros - s.late[id]}
		}
	}
}

// readOf is another number where one of these days was read at another moment.
func (i *Index) readOf(first, last string) (read uint64) {
	for date := first; date <= last; date = dayAfter(date) {
		read = read*1099511628211 ^ uint64(i.Taken[date])
	}
	return read
}

func dayAfter(date string) string {
	day, _ := time.Parse(dateForm, date) // it was formatted so
	return day.AddDate(0, 0, 1).Format(dateForm)
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
