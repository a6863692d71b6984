package insights

import (
	"math/big"
	"slices"
	"strings"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/world"
)

// longestMs is the longest time from a touch to a conversion that can count.
const longestMs = 30 * dayMs

// conversion is one that is owed to an ad: simulated, or received as an event.
type conversion struct {
	source    *source // the ad
	view      bool
	touched   int64 // Unix milliseconds
	converted int64
	setting   world.EventSetting
	value     int64 // micros
}

// collectTouches adds the simulated conversions.
func (r *collector) collectTouches() {
	from := r.span.from
	if r.attribution.byConversion {
		from -= longestMs
	}
	for _, d := range r.book.Days(from, r.span.until) {
		for _, t := range d.Touches {
			setting, ok := r.tree.account.EventSettings.Get(t.Goal)
			if ok {
				r.convert(conversion{r.source(int(t.Ad)), t.View, t.At, t.ConvertedAt(), setting, t.Value})
			}
		}
	}
}

// collectEvents adds the events that were received and are owed to an ad.
func (r *collector) collectEvents() {
	for _, e := range r.tree.account.Conversions.All() {
		if e.Credit.AdID == "" {
			continue
		}
		if setting, ok := r.settingOf(e); ok {
			r.convert(conversion{r.sourceOf(e.Credit.AdID),
				e.Credit.Touch == "view", e.Credit.At, e.At, setting, micros(e)})
		}
	}
}

// settingOf is the event setting of the credited campaign that an event fits.
func (r *report) settingOf(e world.ConversionEvent) (world.EventSetting, bool) {
	campaign, _ := r.tree.account.Campaigns.Get(e.Credit.CampaignID)
	for _, id := range campaign.EventSettingIDs {
		s, ok := r.tree.account.EventSettings.Get(id)
		if ok && s.SourceID == e.SourceID && s.EventType == e.Type &&
			orEmpty(s.CustomEventName) == orEmpty(e.CustomName) {
			return s, true
		}
	}
	return world.EventSetting{}, false
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// micros is an event's amount, which is sent in minor units of its currency.
// assumption: an amount in another currency than the account's is counted as it is.
func micros(e world.ConversionEvent) int64 {
	if e.Amount == nil {
		return 0
	}
	value := new(big.Int).Mul(big.NewInt(*e.Amount), big.NewInt(minorUnit(e.Currency)))
	if !value.IsInt64() {
		return 0
	}
	return value.Int64()
}

// minorUnit is the smallest unit of a currency in micros.
func minorUnit(currency string) int64 {
	switch {
	case strings.Contains(" BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ", " "+currency+" "):
		return 1_000_000
	case strings.Contains(" BHD IQD JOD KWD LYD OMR TND ", " "+currency+" "):
		return 1_000
	}
	return 10_000
}

// counts decides whether a conversion lies in its window and has happened.
func (a attribution) counts(c conversion, now int64) bool {
	window := min(a.click, c.setting.WindowDays*dayMs)
	if c.view {
		window = a.view
	}
	delay := c.converted - c.touched
	return window > 0 && delay >= 0 && delay <= window && c.converted <= now
}

// named reports whether the request asks for the setting's event.
func (r *report) named(s world.EventSetting) bool {
	return len(r.eventNames) == 0 || slices.Contains(r.eventNames, eventName(s))
}

// eventName is the event of a setting: a standard one, or the custom name.
func eventName(s world.EventSetting) string {
	if s.CustomEventName != nil {
		return *s.CustomEventName
	}
	return s.EventType
}

// convert adds one conversion where it counts.
func (r *collector) convert(c conversion) {
	at := c.touched
	if r.attribution.byConversion {
		at = c.converted
	}
	bucket, in := r.span.bucket(at)
	if !in || !r.named(c.setting) || !r.attribution.counts(c, r.now.UnixMilli()) {
		return
	}
	s := c.source
	if s.entity == nil || (r.segment != "" && s.whole == 0) {
		return
	}
	p := s.drawn(r.report, c)
	if r.segment != "" && p == nil {
		return
	}
	into := r.at(bucket, s.entity, p)
	into.add(c.sums(c.setting.EventType == "order_created"))
	if r.byEvent {
		into.event(c)
	}
}

// sums is the conversion as a row counts it.
func (c conversion) sums(sold bool) (s sums) {
	s.byClick = 1
	if c.view {
		s.byClick, s.byView = 0, 1
	}
	if sold {
		s.sales = c.value
	}
	return s
}

// event counts a conversion, with its value, under its event setting.
func (row *row) event(c conversion) {
	if row.events == nil {
		row.events = map[string]*sums{}
	}
	if row.events[c.setting.ID] == nil {
		row.events[c.setting.ID] = &sums{}
	}
	row.events[c.setting.ID].add(c.sums(true))
}

// drawn is the part a conversion belongs to, drawn by weight.
func (s *source) drawn(r *report, c conversion) *part {
	if r.segment == "" {
		return nil
	}
	at := delivery.Scatter(uint64(c.touched), s.entity.id(), s.whole)
	for i, p := range s.weights {
		if at -= p.weight; at < 0 {
			return s.parts[i]
		}
	}
	return nil
}
