package delivery

// market is how people take to one ad: fixed by the seed and the ad's id.
type market struct {
	hash    uint64
	quality int64 // impressions of a slot at the best hour, thousandths, at an endless bid
	ctr     int64 // clicks per million impressions
	cvr     int64 // conversions per million clicks
	top     int64 // the highest price, micros
	rate    int64 // quality at the present bid
}

// The crowd by local hour and weekday, percent of the best.
var (
	crowdAt = [24]int64{22, 14, 9, 7, 7, 12, 25, 42, 58, 70, 78, 82, 86, 84, 80, 79, 82, 88, 94, 100, 98, 86, 62, 38}
	crowdOn = [7]int64{84, 100, 98, 97, 96, 93, 82} // from Sunday
)

// What an unbounded bid pays and what half the auctions cost, micros.
const (
	usualClick      = 800_000
	usualImpression = 16_000
)

func newMarket(seed uint64, adID string) market {
	h := mix(seed, hashText(adID))
	return market{
		hash:    h,
		quality: 20_000 + int64(mix(h, 1)%40_000),
		ctr:     8_000 + int64(mix(h, 2)%22_000),
		cvr:     20_000 + int64(mix(h, 3)%40_000),
	}
}

// reprice takes a bid (0: none) into account. A bid for an acquisition is worth
// its share of clicks that convert.
func (m *market) reprice(bid int64, c Campaign) {
	usual := int64(usualClick)
	if c.PerImpression {
		usual = usualImpression
	}
	switch {
	case bid == 0:
		m.top = usual
	case c.PerAcquisition:
		m.top = max(1, bid*m.cvr/1_000_000)
	default:
		m.top = bid
	}
	m.rate = m.quality * 1000 / (1000 + usual*1000/m.top)
}

// price is what one billed event of a slot costs: 60 to 100 % of the top, never
// more than the bid.
func (m *market) price(draw uint64) int64 {
	return (m.top*(600+below(draw, 401)) + 999) / 1000
}

// demand is what people would see and click in a slot.
func (m *market) demand(draw uint64, crowd int64) Tally {
	a, b := mix(draw, 1), mix(draw, 2)
	expected := m.rate * crowd / 10_000 * (500 + below(a, 1001)) / 1000
	shown := (expected + below(a<<32, 1000)) / 1000
	clicks := (shown*m.ctr + below(b, 1_000_000)) / 1_000_000
	return Tally{Impressions: shown, Clicks: min(clicks, shown)}
}

// below is a number from 0 to below n out of the upper half of h.
func below(h uint64, n uint64) int64 { return int64(h >> 32 * n >> 32) }

// mix scatters two numbers into one (SplitMix64's finisher).
func mix(a, b uint64) uint64 {
	z := a + 0x9e3779b97f4a7c15*(b+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hashText is FNV-1a.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Scatter is a number from 0 to below n that follows from the seed and the text alone.
func Scatter(seed uint64, text string, n int64) int64 {
	return int64(mix(seed, hashText(text)) % uint64(n))
}
