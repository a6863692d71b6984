package bench

import (
	"fmt"
	"strings"
)

// Shape is how large an account is and how its trees branch.
type Shape struct {
	Campaigns int
	AdGroups  int // of a campaign
	Ads       int // of an ad group
	Hints     int // of an ad group, at most 1,600

	// 1 campaign and 1 ad group in 100 are renamed, and 1 ad in 100 leads elsewhere: no money moves, so
	// that one wave holds it
	Edited bool
}

// Trees is the account most figures are about: resources in trees of three.
func Trees(resources int) Shape { return Of(resources/3, 1, 1, 3) }

// Of is so many campaigns, ad groups of each, ads of those, and hints.
func Of(campaigns, groups, ads, hints int) Shape {
	return Shape{Campaigns: campaigns, AdGroups: groups, Ads: ads, Hints: hints}
}

// Named are the shapes of an account of about so many resources: of 15,000 they
// are 5,000 × 1 × 1, 50 × 100 × 1, 1 × 5,000 × 1, and 500 × 10 × 1 with 60 hints
// an ad group.
func Named(resources int) []Shape {
	part := func(of15000 int) int { return max(1, of15000*resources/15_000) }
	return []Shape{Trees(resources), Of(part(50), 100, 1, 3), Of(1, part(5_000), 1, 3), Of(part(500), 10, 1, 60)}
}

func (s Shape) String() string {
	text := fmt.Sprintf("%d×%d×%d", s.Campaigns, s.AdGroups, s.Ads)
	if s.Hints > 12 {
		text += fmt.Sprintf(", %d hints", s.Hints)
	}
	return text
}

// Groups and Leaves are all ad groups and all ads of the account.
func (s Shape) Groups() int { return s.Campaigns * s.AdGroups }
func (s Shape) Leaves() int { return s.Groups() * s.Ads }

// Edits is how many of a kind are edited.
func (s Shape) Edits() (campaigns, groups, ads int) {
	for n := range s.Leaves() {
		campaigns += one(n < s.Campaigns && n%inHundred == editedCampaign)
		groups += one(n < s.Groups() && n%inHundred == editedGroup)
		ads += one(n%inHundred == editedAd)
	}
	return campaigns, groups, ads
}

// Which of a hundred of a kind are edited: in trees of three no two in one tree.
const inHundred, editedCampaign, editedGroup, editedAd = 100, 5, 15, 25

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Resources are all of the account.
func (s Shape) Resources() int { return s.Campaigns + s.Groups() + s.Leaves() }

var (
	products = []string{"trail shoes", "rain jackets", "wool socks", "head torches", "day packs",
		"camp stoves", "climbing ropes", "down quilts", "bike lights", "road helmets", "swim fins", "ski goggles"}
	cities = []string{"Portland", "Denver", "Boise",
		"Ottawa", "Halifax", "Québec", "Austin", "Salt Lake City", "Calgary",
		"Seattle", "Burlington", "Asheville", "Tucson", "Duluth", "Bend", "Moab", "Banff", "Juneau", "Reno", "Missoula"}
	seasons = []string{"spring", "summer", "autumn", "winter"}
	askers  = []string{"people comparing", "people who ask about", "beginners looking for",
		"parents buying", "runners who replace", "commuters in need of", "students who save on", "guides recommending"}
	purposes = []string{"muddy trails", "a wet week", "a first long tour", "cold mornings",
		"night runs", "small budgets", "wide feet", "travel with little luggage", "steep ground", "a gift"}
	titles = []string{"%s for muddy trails", "Light %s, made to last", "%s: free returns"}
	bodies = []string{"Light, grippy, and repaired for free. Thirty days to change your mind.",
		"Tried on 400 km of wet rock. Delivered tomorrow.", "Made to last ten winters; we mend what does not."}
)

// campaign is what every format says of one.
type campaign struct {
	number            int
	key, name, budget string // budget: for its lifetime, in units
	countries         []string
}

func (s Shape) campaign(i int) campaign {
	product, city, season := products[i%len(products)], cities[i/3%len(cities)], seasons[i%len(seasons)]
	c := campaign{
		number: i,
		key:    slug(fmt.Sprintf("%s %s %s %d", season, product, city, i)),
		name:   fmt.Sprintf("%s – %s, %s (%d)", capital(product), city, season, i),
		budget: fmt.Sprintf("%d.50", 800+uneven(i, 700)),
	}
	if s.Edited && i%inHundred == editedCampaign {
		c.name += ", renamed"
	}
	c.countries = [][]string{{"US"}, {"CA", "US"}, {"CA"}}[i%3]
	return c
}

// uneven is a number below most that does not count up or down with i, as a slip of the
// hand does.
func uneven(i, most int) int { return (i*i + 37*i) % most }

// group is an ad group.
type group struct{ key, name, bid string }

func (s Shape) group(c, i int) group {
	purpose := purposes[i%len(purposes)]
	g := group{slug(fmt.Sprintf("%s %d", purpose, i)),
		fmt.Sprintf("%s, %d of campaign %d", capital(purpose), i, c), fmt.Sprintf("%d.%02d", 1+i%3, 10+uneven(c+i, 80))}
	if s.Edited && (c*s.AdGroups+i)%inHundred == editedGroup {
		g.name += ", renamed"
	}
	return g
}

// hints returns the context hints of an ad group, no two alike.
func (s Shape) hints(c, i int) []string {
	hints := make([]string, s.Hints)
	for j := range hints {
		n := (c*7 + i*11 + j) % (len(askers) * len(purposes) * len(cities))
		hints[j] = fmt.Sprintf("%s %s for %s near %s", askers[n%len(askers)],
			products[(c+i)%len(products)], purposes[n/len(askers)%len(purposes)], cities[n/len(askers)/len(purposes)])
	}
	return hints
}

// ad is one with its creative.
type ad struct{ key, name, title, body, url, image string }

func (s Shape) ad(c, g, i int) ad {
	n := c + g + i
	product := products[n%len(products)]
	made := ad{
		key: fmt.Sprintf("card-%d", i), name: fmt.Sprintf("Card %d of %s", i, product),
		title: capital(fmt.Sprintf(titles[n%len(titles)], product)), body: bodies[n%len(bodies)],
		url:   fmt.Sprintf("https://shop.example/%s/%d-%d-%d?from=chat", slug(product), c, g, i),
		image: fmt.Sprintf("https://cdn.shop.example/images/%s.jpg", slug(product)),
	}
	if s.Edited && ((c*s.AdGroups+g)*s.Ads+i)%inHundred == editedAd {
		made.url += "&round=2"
	}
	return made
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

var dashes = strings.NewReplacer(" ", "-", "é", "e")

func slug(text string) string { return dashes.Replace(strings.ToLower(text)) }
