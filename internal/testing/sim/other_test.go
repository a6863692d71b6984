package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/emulator/population"
	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/reconcile"
)

// otherKinds are the kinds beyond the tree, the larger ones more often.
var otherKinds = []string{"audience", "spend_limit_window", "daily_spend_limit",
	"audience", "pixel", "event_setting", "account", "daily_spend_limit", "audience", "spend_limit_window"}

// mostOther is how many of each a world has.
var mostOther = map[string]int{
	"audience": 3, "spend_limit_window": 3, "daily_spend_limit": 3, "pixel": 2, "event_setting": 2, "account": 1,
}

// otherDrawn are the actions with them, and how often they come.
var otherDrawn = []string{
	"add other", "add other", "edit other", "edit other",
	"edit other", "edit other", "edit other", "edit other", "apply", "apply", "apply",
	"foreign other", "foreign other", "foreign other", "race", "fault", "fault", "advance",
}

// beyondTree puts the other kinds into a script. What is drawn of the tree stays.
func (d drawer) beyondTree(s *script) {
	s.Kinds, s.Read = true, false
	alone := s.alone()
	first := d.scene()
	for range d.IntN(3) {
		first = append(first, d.otherAction("add other"))
	}
	s.Actions = append(first, s.Actions...)
	for range 1 + d.IntN(5) {
		a := d.otherAction(otherDrawn[d.IntN(len(otherDrawn))])
		if alone && (a.Do == "foreign other" || a.Do == "race") {
			a = d.otherAction("edit other")
		}
		s.Actions = slices.Insert(s.Actions, len(first)+d.IntN(len(s.Actions)-len(first)+1), a)
	}
}

// scene is what it takes for a fault to strike: what is added, by its place among
// otherKinds, and the edit of it; -1 where the create is what it strikes.
type scene struct {
	at        string // of the fault's path
	add, edit int
}

var scenes = []scene{
	{"/replace", 0, 1}, {"/operations/", 0, 1}, {"/add", 0, 2},
	{"/remove", 0, 3}, {"/merge", 0, -1}, {"/archive", 0, 10}, {"/custom_audiences", 0, -1}, {"/uploads", 0, -1},
	{"/{window_id}/delete", 1, 5}, {"/{window_id}", 1, 0},
	{"/spend_limit_windows", 1, -1}, {"/daily_spend_limit", 2, 0},
	{"/brand", 6, 1}, {"/event_settings", 5, -1}, {"/pixels", 4, -1},
}

// scene is a fault of the other kinds with what it strikes.
func (d drawer) scene() (actions []action) {
	fault := action{Do: "fault", Fault: otherFaults[d.IntN(len(otherFaults))]}
	i := slices.IndexFunc(scenes, func(s scene) bool { return strings.Contains(fault.Fault, s.at) })
	s, n := scenes[i], 3*d.IntN(20)
	actions = append(actions, action{Do: "add other", What: s.add, Value: n})
	switch {
	case s.at == "/merge":
		more := action{Do: "add other", What: s.add, Value: 12}
		return append(actions, more, more, fault, action{Do: "apply"})
	case s.edit < 0:
		return append(actions, fault, action{Do: "apply"})
	}
	return append(actions, action{Do: "apply"}, action{Do: "edit other", What: s.edit, Value: n + 3},
		fault, action{Do: "apply"})
}

func (d drawer) otherAction(do string) action {
	switch do {
	case "fault":
		return action{Do: do, Fault: otherFaults[d.IntN(len(otherFaults))]}
	case "apply", "advance":
		return d.action([]string{do}, false)
	}
	return action{Do: do, Target: d.IntN(21), What: d.IntN(30), Value: d.IntN(61)}
}

// openKinds has somebody make the pixel that event settings are of.
func (w *world) openKinds() {
	_, made := w.ask("POST", "/conversions/pixels", map[string]any{"name": "x shop", "client_type": "web"})
	w.pixel = fmt.Sprint(made["id"])
}

// list writes a members file of persons of the population, and gives its digest.
func (w *world) list(from, to int) string {
	var content strings.Builder
	var people []string
	for n := from; n < to; n++ {
		hash := population.HashOf(population.Email, n)
		people = append(people, hex.EncodeToString(hash[:]))
		content.WriteString(people[len(people)-1] + "\n")
	}
	sum := sha256.Sum256([]byte(content.String()))
	digest := "sha256:" + hex.EncodeToString(sum[:])
	w.history.Lists[digest], w.lists[digest] = people, content.String()
	return digest
}

func (w *world) people(digest string) (reconcile.People, error) {
	content, there := w.lists[digest]
	if !there {
		return reconcile.People{}, errors.New("no such list")
	}
	return reconcile.People{Content: []byte(content), As: "email_sha256"}, nil
}

// keepPlan notes all a plan holds, for invariant 22.
func (w *world) keepPlan(view *reconcile.View) {
	if len(w.lists) == 0 {
		return
	}
	text, err := json.Marshal(view.Plan)
	if err != nil {
		panic(err)
	}
	w.kept(string(text))
}

// kept notes what an agent keeps, for invariant 22.
func (w *world) kept(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.Kept += text + "\n"
}

// setList gives an audience a list; n chooses who is in it.
func (w *world) setList(item oracle.Item, n int) {
	from := n % 3 * 4
	size := []int{12, 16, 3, 14, 11}[n%5]
	item.Values["members.file"], item.Values["members.identifier"], item.Values["members.people"] = w.list(from,
		from+size), "email_sha256", int64(size)
}

// dayOf is a day of a slot. Slots are 20 days each, and later commits have
// earlier ones: no two limits of the files ever share a day, and none begins
// while a history lasts.
func dayOf(slot, n int) string { return resource.DayPlus("2000-03-01", slot*20+n) }

const slots = 60

// addOther puts a resource of another kind into the files.
func (w *world) addOther(f oracle.Files, a action) {
	kind, n, commits := otherKinds[a.What%len(otherKinds)], a.Value, len(w.history.Commits)
	if len(tagsOf(f, kind)) >= mostOther[kind] || commits >= slots {
		return
	}
	tag := map[string]string{"audience": "u", "spend_limit_window": "w", "pixel": "p", "event_setting": "e"}[kind] +
		fmt.Sprint(commits) + "x" + fmt.Sprint(len(f))
	item := oracle.Item{Kind: kind, Values: map[string]any{"name": tag + " first"}}
	slot := slots - commits
	switch kind {
	case "audience":
		w.fillAudience(f, item, n)
	case "spend_limit_window", "daily_spend_limit":
		item.Values["amount"] = int64(15+n%40) * 1_000_000
		item.Values["start"], item.Values["end"] = dayOf(slot, 2), dayOf(slot, 10+n%5)
		if kind == "daily_spend_limit" {
			tag = "d" + dayOf(slot, 2)
			delete(item.Values, "name")
		}
	case "event_setting":
		item.Values["event_type"], item.Values["source"], item.Values["attribution_window_days"] = []string{
			"order_created", "lead_created"}[n%2], w.pixel, "30"
	case "account":
		tag = "account"
		item.Values = map[string]any{"account_name": "Shop first", "brand_name": "Brand first"}
	}
	item.Tag = tag
	f[tag] = item
}

// fillAudience says how an audience is made: of a list, of nobody yet, or of two
// others.
func (w *world) fillAudience(f oracle.Files, item oracle.Item, n int) {
	var sources []string
	for _, tag := range tagsOf(f, "audience") {
		if v := f[tag].Values; v["merge"] == nil && v["status"] == nil && v["members.file"] != nil {
			sources = append(sources, "audience/"+tag)
		}
	}
	switch {
	case len(sources) >= 2 && n%2 == 0:
		item.Values["merge"] = sources[:2]
	case n%6 != 5:
		w.setList(item, n)
	}
}

// editOther changes one attribute of a resource of another kind, or ends it.
func editOther(w *world, f oracle.Files, a action) {
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool {
		return mostOther[f[tag].Kind] == 0 || f[tag].Values["status"] == "archived"
	})
	if len(tags) == 0 {
		return
	}
	item := f[tags[a.Target%len(tags)]]
	n := a.Value
	switch item.Kind {
	case "audience":
		w.editAudience(f, item, a.What, n)
	case "spend_limit_window", "daily_spend_limit":
		editLimit(item, a.What, n)
	case "account":
		switch a.What % 3 {
		case 0:
			item.Values["account_name"] = []string{"Shop second", "Shop third"}[n%2]
		case 1:
			item.Values["brand_name"] = []string{"Brand second", "Brand third"}[n%2]
		default:
			item.Values["status"] = []string{"paused", "active"}[n%2]
		}
	}
}

func (w *world) editAudience(f oracle.Files, item oracle.Item, what, n int) {
	switch {
	case item.Values["merge"] != nil:
		if what%4 == 0 {
			item.Values["status"] = "archived"
		}
	case what%10 == 0 && !mergedOf(f, item.Tag):
		item.Values["status"] = "archived"
	default:
		w.setList(item, n)
		delete(item.Values, "members.do")
		if do := []string{"", "replace", "add", "remove", "replace"}[what%5]; do != "" {
			item.Values["members.do"] = do
		}
	}
}

func mergedOf(f oracle.Files, tag string) bool {
	for _, item := range f {
		if of, _ := item.Values["merge"].([]string); slices.Contains(of, "audience/"+tag) {
			return true
		}
	}
	return false
}

func editLimit(item oracle.Item, what, n int) {
	start := item.Values["start"].(string)
	switch what % 6 {
	case 0, 1, 2:
		item.Values["amount"] = int64(10+n%50)*1_000_000 + int64(n%10)*10_000
	case 3:
		item.Values["end"] = resource.DayPlus(start, 3+n%12)
	case 4:
		if item.Kind == "spend_limit_window" {
			item.Values["name"] = item.Tag + []string{" second", " third"}[n%2]
			return
		}
		item.Values["amount"] = int64(5+n%9) * 1_000_000
	default:
		if n%3 == 0 {
			item.Values["status"] = "archived"
		}
	}
}
