package delivery

import (
	"slices"
	"strings"
	"time"
)

// hoursKept is for how many days hours are kept apart (published: about 30 days).
const hoursKept = 31

// Day is an account-local day of deliveries.
type Day struct {
	Name       string // YYYY-MM-DD
	Start, End int64  // Unix milliseconds; 23 to 25 hours apart
	Spent      int64  // micros, all ads
	Touches    []Touch

	sums   []Tally // by ad, while the day is open
	hour   []Tally // by ad, of the open hour
	hourAt int
	total  []cell // of a closed day
	hours  [][]hourCell
}

type cell struct {
	ad int32
	Tally
}

type hourCell struct {
	spend  int64
	ad     int32
	shown  uint16
	clicks uint16
}

// open makes the day of a slot the one that is counted in.
func (b *Book) open(slot int64) {
	if b.today != nil && slot < b.today.End {
		b.today.atHour(slot)
		return
	}
	if b.today != nil {
		b.today.close()
	}
	if n := len(b.days); n >= hoursKept {
		b.days[n-hoursKept].hours = nil
	}
	b.today = newDay(slot, b.account.Zone)
	b.today.atHour(slot)
	b.days = append(b.days, b.today)
	b.setCaps()
}

func newDay(slot int64, zone *time.Location) *Day {
	y, m, d := time.UnixMilli(slot).In(zone).Date()
	start, end := StartOfDay(y, m, d, zone), StartOfDay(y, m, d+1, zone)
	return &Day{Name: start.Format(time.DateOnly), Start: start.UnixMilli(), End: end.UnixMilli()}
}

// StartOfDay is the first moment of a date, which is not midnight where clocks
// are put forward at midnight.
func StartOfDay(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	want := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	for t.Format(time.DateOnly) < want {
		t = t.Add(15 * time.Minute)
	}
	return t
}

// atHour closes the open hour when the slot is in a later one.
func (d *Day) atHour(slot int64) {
	hour := int((slot - d.Start) / 3_600_000)
	if hour == d.hourAt {
		return
	}
	d.closeHour()
	d.hourAt = hour
}

func (d *Day) closeHour() {
	d.hours = append(d.hours, make([][]hourCell, d.hourAt+1-len(d.hours))...)
	d.hours[d.hourAt] = hourCells(d.hour)
	clear(d.hour)
}

func hourCells(sums []Tally) []hourCell {
	cells := make([]hourCell, 0, countShown(sums))
	for i, t := range sums {
		if t.Impressions > 0 {
			cells = append(cells, hourCell{
				ad: int32(i), shown: uint16(t.Impressions), clicks: uint16(t.Clicks), spend: t.Spend,
			})
		}
	}
	return cells
}

func countShown(sums []Tally) int {
	n := 0
	for _, t := range sums {
		if t.Impressions > 0 {
			n++
		}
	}
	return n
}

func (d *Day) close() {
	d.closeHour()
	d.total = make([]cell, 0, countShown(d.sums))
	for i, t := range d.sums {
		if t.Impressions > 0 {
			d.total = append(d.total, cell{int32(i), t})
		}
	}
	d.sums, d.hour = nil, nil
}

func (d *Day) add(ads, index int, t Tally) {
	if grow := ads - len(d.sums); grow > 0 {
		d.sums = append(d.sums, make([]Tally, grow)...)
		d.hour = append(d.hour, make([]Tally, grow)...)
	}
	d.sums[index].Add(t)
	d.hour[index].Add(t)
	d.Spent += t.Spend
}

// Each gives every ad that was shown on the day, by its index.
func (d *Day) Each(yield func(ad int, t Tally)) {
	for _, c := range d.total {
		yield(int(c.ad), c.Tally)
	}
	for i, t := range d.sums {
		if t.Impressions > 0 {
			yield(i, t)
		}
	}
}

// EachHour returns every ad and hour (Unix milliseconds of its start). It reports
// false when the hours of the day are no longer kept.
func (d *Day) EachHour(yield func(ad int, start int64, t Tally)) bool {
	if d.hours == nil && d.sums == nil {
		return false
	}
	for i, cells := range d.hours {
		for _, c := range cells {
			yield(int(c.ad), d.hourStart(i), Tally{int64(c.shown), int64(c.clicks), c.spend})
		}
	}
	for i, t := range d.hour {
		if t.Impressions > 0 {
			yield(i, d.hourStart(d.hourAt), t)
		}
	}
	return true
}

func (d *Day) hourStart(i int) int64 { return d.Start + int64(i)*3_600_000 }

// Days are the days with deliveries that end after from and start before until,
// Unix milliseconds.
func (b *Book) Days(from, until int64) []*Day {
	first, _ := slices.BinarySearchFunc(b.days, from, func(d *Day, at int64) int {
		if d.End <= at {
			return -1
		}
		return 1
	})
	last := first
	for last < len(b.days) && b.days[last].Start < until {
		last++
	}
	return b.days[first:last]
}

// Spent is the micros spent in local days from since to before until (YYYY-MM-DD).
func (b *Book) Spent(since, until string) int64 {
	first, _ := slices.BinarySearchFunc(b.days, since, func(d *Day, day string) int {
		return strings.Compare(d.Name, day)
	})
	sum := int64(0)
	for _, d := range b.days[first:] {
		if d.Name >= until {
			break
		}
		sum += d.Spent
	}
	return sum
}

// Ad names the ad of an index and its ancestors.
func (b *Book) Ad(index int) (id, adGroup, campaign string) {
	a := b.ads[index]
	return a.ID, a.AdGroupID, a.group.CampaignID
}

// Ads counts the ads of the history.
func (b *Book) Ads() int { return len(b.ads) }

// Index is the index of an ad.
func (b *Book) Index(id string) (int, bool) {
	a, ok := b.byAd[id]
	if !ok {
		return 0, false
	}
	return a.index, true
}

// Exhausted reports whether the campaign's own budget stopped it on the last day
// that was delivered.
func (b *Book) Exhausted(campaignID string) bool {
	c := b.campaigns[campaignID]
	return c != nil && c.exhausted != nil && c.exhausted == b.today && b.next < b.today.End
}
