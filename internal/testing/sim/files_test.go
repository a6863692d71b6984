package sim

import (
	"fmt"
	"maps"
	"slices"

	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
)

// files returns a copy of the newest commit, to be edited.
func (w *world) files() oracle.Files {
	next := oracle.Files{}
	for tag, item := range w.history.Commits[len(w.history.Commits)-1] {
		item.Values = maps.Clone(item.Values)
		next[tag] = item
	}
	return next
}

func (w *world) commit(f oracle.Files) { w.history.Commits = append(w.history.Commits, f) }

// kindsOf are the tags of a kind, in order.
func tagsOf(f oracle.Files, kind string) []string {
	var tags []string
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		if f[tag].Kind == kind {
			tags = append(tags, tag)
		}
	}
	return tags
}

// most is how many of a kind a world has: small worlds are cheap.
var most = map[string]int{"campaign": 4, "ad_group": 5, "ad": 5}

// add puts a new resource into the files, beneath a parent that n chooses. It
// does nothing where there is no parent, or too many already.
func add(f oracle.Files, kind string, n int, commits int) {
	if len(tagsOf(f, kind)) >= most[kind] {
		return
	}
	parent := ""
	if above, needs := map[string]string{"ad_group": "campaign", "ad": "ad_group"}[kind]; needs {
		tags := tagsOf(f, above)
		if len(tags) == 0 {
			return
		}
		parent = tags[n%len(tags)]
	}

	tag := map[string]string{"campaign": "c", "ad_group": "g", "ad": "a"}[kind] +
		fmt.Sprint(commits) + "x" + fmt.Sprint(len(f))
	f[tag] = oracle.Item{Kind: kind, Tag: tag, Parent: parent, Values: fresh(kind, tag, n)}
}

func fresh(kind, tag string, n int) map[string]any {
	status := []string{"active", "active", "paused"}[n%3]
	values := map[string]any{"name": tag + " first"}
	if n%5 != 4 { // absent: a new one is paused
		values["status"] = status
	}
	switch kind {
	case "campaign":
		values["bidding_type"] = []string{"clicks", "clicks", "impressions"}[n%3]
		values[[]string{"budget.lifetime", "budget.daily"}[n%2]] = int64(20+n%7) * 1_000_000
		if n%3 == 1 {
			values["tracking"] = "utm_source=chat"
		}
		if n%4 == 2 {
			values["targeting.countries"] = []string{"CA", "US"}
		}
	case "ad_group":
		values["bid.max"] = int64(1_000_000 + n%9*10_000)
		if n%3 == 0 {
			values["context_hints"] = []string{"people who run", "people who hike"}
		}
		if n%4 == 1 {
			values["description"] = "a note"
		}
	case "ad":
		values["title"], values["body"] = tag+" shoes", "Light shoes."
		values["target_url"], values["image"] = "https://shop.example/"+tag, "https://images.example/"+tag+".png"
	}
	return values
}

// edit changes one attribute of one resource; n chooses which and to what.
func edit(f oracle.Files, target, what, n int) {
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool {
		return editable[f[tag].Kind] == nil
	})
	if len(tags) == 0 {
		return
	}
	item := f[tags[target%len(tags)]]
	switch changes := editable[item.Kind]; changes[what%len(changes)] {
	case "name":
		item.Values["name"] = item.Tag + " " + []string{"second", "third", "fourth"}[n%3]
	case "status":
		item.Values["status"] = []string{"paused", "active"}[n%2]
	case "budget":
		for _, name := range []string{"budget.daily", "budget.lifetime"} {
			if _, given := item.Values[name]; given {
				item.Values[name] = int64(10+n%40)*1_000_000 + int64(n%10)*10_000
			}
		}
	case "description":
		item.Values["description"] = []any{"a note", "another note", nil}[n%3]
	case "tracking":
		item.Values["tracking"] = []any{"utm_source=chat", "utm_source=other", nil}[n%3]
	case "countries":
		item.Values["targeting.countries"] = [][]string{{"CA", "US"}, {"US"}, {"DE", "FR"}}[n%3]
	case "bid":
		item.Values["bid.max"] = int64(900_000 + n%30*10_000)
	case "hints":
		item.Values["context_hints"] = [][]string{{"people who run"}, {"people who swim", "people who hike"}}[n%2]
	case "title":
		item.Values["title"] = item.Tag + " " + []string{"shoes", "boots", "socks"}[n%3]
	case "body":
		item.Values["body"] = []string{"Light shoes.", "Warm shoes."}[n%2]
	case "url":
		item.Values["target_url"] = "https://shop.example/" + item.Tag + []string{"", "/sale"}[n%2]
	}
}

var editable = map[string][]string{
	"campaign": {"status", "budget", "name", "description", "tracking", "countries", "budget", "status"},
	"ad_group": {"status", "bid", "name", "description", "hints", "tracking"},
	"ad":       {"status", "title", "body", "url", "name", "tracking"},
}

// remove takes a resource and all beneath it out of the files.
func remove(f oracle.Files, target int) {
	tags := slices.Sorted(maps.Keys(f))
	if len(tags) == 0 {
		return
	}
	gone := map[string]bool{tags[target%len(tags)]: true}
	for range 2 {
		for tag, item := range f {
			if gone[item.Parent] {
				gone[tag] = true
			}
		}
	}
	maps.DeleteFunc(f, func(tag string, _ oracle.Item) bool { return gone[tag] })
}

func addressOf(f oracle.Files, tag string) resource.Address {
	path := keyOf(f[tag])
	for item := f[tag]; item.Parent != ""; item = f[item.Parent] {
		above := keyOf(f[item.Parent])
		if slices.Contains(item.Wrong, elsewhere) {
			above = nowhere
		}
		path = above + "/" + path
	}
	a, ok := resource.ParseAddress(f[tag].Kind + "/" + path)
	if !ok {
		panic("no address: " + path)
	}
	return a
}

// snapshot says the files in the program's own words.
func snapshot(f oracle.Files) *resource.Snapshot {
	s := &resource.Snapshot{}
	for tag, item := range f {
		r := &resource.Resource{Address: addressOf(f, tag)}
		for name, value := range item.Values {
			if slices.Contains(item.Wrong, name) {
				continue
			}
			r.Set(name, valueOf(name, value))
		}
		s.Put(r)
	}
	return s
}

func valueOf(name string, value any) resource.Value {
	if day, given := value.(string); given && name == "end" { // people write the last day
		value = resource.DayPlus(day, -1)
	}
	switch v := value.(type) {
	case int64:
		return resource.Number(v)
	case string:
		return resource.Text(v)
	case []string:
		return resource.List(v)
	}
	return resource.Null()
}
