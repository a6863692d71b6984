package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shop is what the files of a history say. The first word of a name says which
// resource it is, for as long as the history lasts: "C3-G1-A2 v4".
type shop struct {
	random    *rand.Rand
	campaigns []*shopCampaign
	edits     int
	asked     map[string]map[int]bool // by ward, the budgets that a file ever had
}

type shopCampaign struct {
	ward     string // the first word of its name, and in lower case its key
	version  int
	status   string
	daily    bool
	budget   int // units
	tracking string
	groups   []*shopGroup
}

type shopGroup struct {
	ward    string
	version int
	bid     int // cents
	hint    int
	ads     []*shopAd
}

type shopAd struct {
	ward    string
	version int
	status  string
	picture bool // a file of the folder, which is uploaded
}

// edit changes the files as somebody would between two applies.
func (s *shop) edit() {
	s.edits++
	if len(s.campaigns) == 0 {
		s.addCampaign()
	}
	for range 1 + s.random.IntN(3) {
		c := s.campaigns[s.random.IntN(len(s.campaigns))]
		g := c.groups[s.random.IntN(len(c.groups))]
		switch s.random.IntN(10) {
		case 0, 1:
			s.addCampaign()
		case 2:
			s.addGroup(c)
		case 3, 4:
			s.addAd(g)
		case 5:
			c.budget += s.random.IntN(21) - 10
		case 6:
			c.status = map[string]string{"active": "paused", "paused": "active"}[c.status]
		case 7:
			c.version++
		case 8:
			g.bid, g.hint = 50+s.random.IntN(100), g.hint+1
		case 9:
			g.ads[s.random.IntN(len(g.ads))].version++
		}
	}
}

// turn edits all there is, so that whatever was sent before is old by now.
func (s *shop) turn() {
	for _, c := range s.campaigns {
		c.version++
		c.budget += 1 + s.random.IntN(9)
		c.status = map[string]string{"active": "paused", "paused": "active"}[c.status]
		for _, g := range c.groups {
			g.version++
			g.bid, g.hint = g.bid+1+s.random.IntN(9), g.hint+1
			for _, a := range g.ads {
				a.version++
			}
		}
	}
}

func (s *shop) addCampaign() {
	c := &shopCampaign{
		ward: fmt.Sprintf("C%d", len(s.campaigns)+1), status: []string{"active", "active", "paused"}[s.random.IntN(3)],
		daily: s.random.IntN(2) == 0, budget: 50 + s.random.IntN(50),
	}
	if s.random.IntN(2) == 0 {
		c.tracking = "utm_source=chat" // a job cannot say it: it follows
	}
	s.campaigns = append(s.campaigns, c)
	for range 1 + s.random.IntN(2) {
		s.addGroup(c)
	}
}

func (s *shop) addGroup(c *shopCampaign) {
	g := &shopGroup{ward: fmt.Sprintf("%s-G%d", c.ward, len(c.groups)+1), bid: 50 + s.random.IntN(100)}
	c.groups = append(c.groups, g)
	for range 1 + s.random.IntN(2) {
		s.addAd(g)
	}
}

func (s *shop) addAd(g *shopGroup) {
	g.ads = append(g.ads, &shopAd{
		ward: fmt.Sprintf("%s-A%d", g.ward, len(g.ads)+1), status: "active", picture: s.random.IntN(4) == 0,
	})
}

// write puts the files into a folder, one a campaign, each of them whole at any moment.
func (s *shop) write(t *testing.T, dir string) {
	t.Helper()
	half := dir + ".half"
	if s.asked == nil {
		s.asked = map[string]map[int]bool{}
	}
	for _, c := range s.campaigns {
		if s.asked[c.ward] == nil {
			s.asked[c.ward] = map[int]bool{}
		}
		s.asked[c.ward][c.budget] = true
		noError(t, os.WriteFile(half, []byte(c.yaml()), 0o600))
		noError(t, os.Rename(half, filepath.Join(dir, strings.ToLower(c.ward)+".yaml")))
	}
}

func (c *shopCampaign) yaml() string {
	var y strings.Builder
	budget := "lifetime"
	if c.daily {
		budget = "daily"
	}
	fmt.Fprintf(&y, "kind: campaign\nkey: %s\nname: %s "+
		"v%d\nstatus: %s\nbidding_type: clicks\nbudget: {%s: %d.00}\ntargeting: {countries: [US, CA]}\n",
		strings.ToLower(c.ward), c.ward, c.version, c.status, budget, c.budget)
	if c.tracking != "" {
		fmt.Fprintf(&y, "tracking: %q\n", c.tracking)
	}
	y.WriteString("ad_groups:\n")
	for _, g := range c.groups {
		fmt.Fprintf(&y, "  - key: %s\n    name: %s v%d\n    status: "+
			"active\n    bid: {max: %d.%02d}\n    context_hints: [people who ask for the %d. time]\n    ads:\n",
			strings.ToLower(g.ward), g.ward, g.version, g.bid/100, g.bid%100, g.hint)
		for _, a := range g.ads {
			image := "https://images.shop.example/" + strings.ToLower(a.ward) + ".jpg"
			if a.picture {
				image = "images/hero-a.png"
			}
			fmt.Fprintf(&y, "      - {key: %s, name: %s v%d, status: "+
				"%s, title: %s shoes, body: Light shoes., target_url: \"https://shop.example/%s\", image: %q}\n",
				strings.ToLower(a.ward), a.ward, a.version, a.status, a.ward, strings.ToLower(a.ward), image)
		}
	}
	return y.String()
}

// wanted is every resource by its ward: the name and the status the account has
// to show.
func (s *shop) wanted() map[string]string {
	want := map[string]string{}
	for _, c := range s.campaigns {
		want[c.ward] = fmt.Sprintf("%s v%d %s", c.ward, c.version, c.status)
		for _, g := range c.groups {
			want[g.ward] = fmt.Sprintf("%s v%d active", g.ward, g.version)
			for _, a := range g.ads {
				want[a.ward] = fmt.Sprintf("%s v%d %s", a.ward, a.version, a.status)
			}
		}
	}
	return want
}
