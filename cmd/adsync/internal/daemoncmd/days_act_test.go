package daemoncmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/emulator/fault"
	"adsync/internal/orders"
	"adsync/internal/testing/oracle"

	"github.com/fsnotify/fsnotify"
)

// acts are what may happen, and how often.
var acts = []struct {
	name  string
	times int
	do    func(*years)
}{
	{"add", 4, (*years).add},
	{"edit", 8, (*years).edit},
	{"retire", 1, (*years).retire},
	{"leave out", 1, (*years).leaveOut},
	{"half save", 2, (*years).halfSave},
	{"limit", 2, (*years).limit},
	{"limit by others", 1, (*years).foreignLimit},
	{"edit by others", 4, (*years).foreign},
	{"fault", 4, (*years).fault},
	{"calm", 3, (*years).disarm},
	{"kill", 3, (*years).kill},
	{"end", 1, (*years).restart},
	{"suspend", 1, (*years).suspend},
	{"resume", 1, func(y *years) { _ = y.hub.Order(y.t.Context(), "shop", daemon.Resuming("ann", "", "")) }},
	{"stop", 1, (*years).stop},
	{"reconcile", 1, (*years).ask},
	{"push", 1, func(y *years) { _ = y.hub.Wake("shop", daemon.Push) }},
	{"approve", 2, (*years).approve},
	{"account paused", 1, (*years).pauseAccount},
	{"news lost", 1, func(y *years) { y.ears, y.deaf = nil, true; y.edit() }},
}

func (y *years) act() {
	y.rise()
	all := 0
	for _, a := range acts {
		all += a.times
	}
	at := y.draw(all)
	for _, a := range acts {
		if at -= a.times; at < 0 {
			y.did[a.name]++
			a.do(y)
			return
		}
	}
}

// rise starts the daemon anew where it was killed.
func (y *years) rise() {
	if y.life.isDead() || y.deaf && y.draw(3) == 0 {
		y.did["death"]++
		y.deaf = false
		y.end()
		y.begin()
	}
}

func (y *years) wantAll() {
	if *daysOf < 1000 {
		return
	}
	for _, a := range acts {
		if y.did[a.name] == 0 {
			y.t.Errorf("%q never happened", a.name)
		}
	}
	for _, name := range []string{"death", "suspended", "faults fired", "limit written", "limit changed by others"} {
		if y.did[name] == 0 {
			y.t.Errorf("%q never happened", name)
		}
	}
}

// commit makes files the newest, and saves them.
func (y *years) commit(f oracle.Files) {
	y.files = f
	y.mu.Lock()
	y.history.Commits, y.wideCommits = append(y.history.Commits, f), append(y.wideCommits, y.widen())
	y.mu.Unlock()
	y.save()
}

func (y *years) save() {
	saveFile(y.t, filepath.Join(y.dir, "ads.yaml"), y.text(y.files))
	y.emit()
}

// emit has the system tell of a change, unless its queue is full.
func (y *years) emit() {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, ear := range y.ears {
		select {
		case ear <- fsnotify.Event{Name: filepath.Join(y.dir, "ads.yaml"), Op: fsnotify.Write}:
		default:
		}
	}
}

func (y *years) copied() oracle.Files {
	next := oracle.Files{}
	for tag, item := range y.files {
		item.Values = maps.Clone(item.Values)
		next[tag] = item
	}
	return next
}

func (y *years) tags(kind string) (tags []string) {
	for _, tag := range slices.Sorted(maps.Keys(y.files)) {
		if (kind == "" || y.files[tag].Kind == kind) && y.files[tag].Values["status"] != "archived" {
			tags = append(tags, tag)
		}
	}
	return tags
}

func (y *years) add() {
	y.addOne([]string{"campaign", "ad_group", "ad"}[y.draw(3)])
}

func (y *years) addOne(kind string) {
	if len(y.tags(kind)) >= map[string]int{"campaign": 4, "ad_group": 5, "ad": 6}[kind] {
		return
	}
	parent := ""
	if above := map[string]string{"ad_group": "campaign", "ad": "ad_group"}[kind]; above != "" {
		tags := y.tags(above)
		if len(tags) == 0 {
			return
		}
		parent = tags[y.draw(len(tags))]
	}
	y.made++
	tag := map[string]string{"campaign": "c", "ad_group": "g", "ad": "a"}[kind] + strconv.Itoa(y.made)
	values := map[string]any{"name": tag + " first", "status": []string{"active", "active", "paused"}[y.draw(3)]}
	switch kind {
	case "campaign":
		values["bidding_type"] = "clicks"
		values[[]string{"budget.lifetime", "budget.daily"}[y.draw(2)]] = int64(20+y.draw(20)) * 1_000_000
	case "ad_group":
		values["bid.max"] = int64(500_000 + y.draw(9)*10_000)
		values["context_hints"] = []string{"people who run"}
	case "ad":
		values["title"], values["body"] = tag+" shoes", "Light shoes."
		values["target_url"], values["image"] = "https://shop.example/"+tag, "https://images.example/"+tag+".png"
	}
	f := y.copied()
	f[tag] = oracle.Item{Kind: kind, Tag: tag, Parent: parent, Values: values}
	y.commit(f)
}

func (y *years) edit() {
	tags := y.tags("")
	if len(tags) == 0 {
		return
	}
	f := y.copied()
	item, n := f[tags[y.draw(len(tags))]], y.draw(100)
	switch kind, what := item.Kind, y.draw(4); {
	case what == 0:
		item.Values["status"] = []string{"paused", "active"}[n%2]
	case what == 1:
		item.Values["name"] = fmt.Sprintf("%s edit %d", item.Tag, n)
	case kind == "campaign":
		for _, name := range []string{"budget.daily", "budget.lifetime"} {
			if _, given := item.Values[name]; given {
				item.Values[name] = int64(10+n%40) * 1_000_000
			}
		}
	case kind == "ad_group":
		item.Values["bid.max"] = int64(400_000 + n%30*10_000)
	default:
		item.Values["body"] = []string{"Light shoes.", "Warm shoes."}[n%2]
	}
	y.commit(f)
}

// beneath are a resource and all below it.
func beneath(f oracle.Files, tag string) map[string]bool {
	all := map[string]bool{tag: true}
	for range 2 {
		for tag, item := range f {
			if all[item.Parent] {
				all[tag] = true
			}
		}
	}
	return all
}

// retire archives a resource and all below it.
func (y *years) retire() {
	tags := y.tags("")
	if len(tags) <= 3 {
		return
	}
	f := y.copied()
	for tag := range beneath(f, tags[y.draw(len(tags))]) {
		f[tag].Values["status"] = "archived"
	}
	y.commit(f)
}

// edited reports whether somebody else wrote to a resource since the last calm.
func (y *years) edited(tag string) bool {
	y.collect()
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.ContainsFunc(y.history.W, func(e oracle.Entry) bool {
		return !e.Past && e.Actor != y.history.Actors[0] &&
			(firstWord(e.After["name"]) == tag || firstWord(e.Before["name"]) == tag)
	})
}

// leaveOut takes a resource and all below it out of the files: it is paused.
func (y *years) leaveOut() {
	if tags := y.tags(""); len(tags) > 3 {
		f := y.copied()
		gone := beneath(f, tags[y.draw(len(tags))])
		maps.DeleteFunc(f, func(tag string, _ oracle.Item) bool { return gone[tag] })
		y.commit(f)
	}
}

// halfSave cuts the file, for a moment or until somebody saves again.
func (y *years) halfSave() {
	text := y.text(y.files)
	if len(text) < 10 {
		return
	}
	cut := y.draw(len(text) - 1)
	end := text[:cut]
	if y.draw(2) == 0 {
		end = strings.TrimRight(end, "\n") + "\n- [cut\n" // an editor that writes a line's end all the same
	}
	saveFile(y.t, filepath.Join(y.dir, "ads.yaml"), end)
	y.emit()
	if y.draw(3) > 0 {
		y.until(time.Now().Add(time.Second))
		y.save()
		return
	}
	saveFile(y.t, filepath.Join(y.dir, "ads.yaml"), text+"---\nkind: campaign\nkey: broken\nbudget: {daily: ten}\n")
}

// limit is a dated spend limit of the account.
type limit struct {
	key        string
	micros     int64
	start, end time.Time // both inclusive days
}

// limit begins another one after the last, or changes one that is there.
func (y *years) limit() {
	today := y.midnight().AddDate(0, 0, -1) // days are compared, whatever the hour
	y.limits = slices.DeleteFunc(y.limits, func(l limit) bool { return l.end.Before(today.AddDate(0, 0, -3)) })
	if len(y.limits) < 3 && y.draw(2) == 0 {
		start := today.AddDate(0, 0, 2+y.draw(3))
		if !start.After(y.limited) {
			start = y.limited.AddDate(0, 0, 1+y.draw(3))
		}
		y.made++
		y.limits = append(y.limits, limit{fmt.Sprintf("w%d", y.made),
			int64(20+y.draw(100)) * 1_000_000, start, start.AddDate(0, 0, 1+y.draw(9))})
		y.limited = y.limits[len(y.limits)-1].end
	} else if n := len(y.limits); n > 0 {
		y.limits[n-1].micros = int64(20+y.draw(100)) * 1_000_000
	}
	y.saveLimits()
}

func (y *years) saveLimits() {
	y.mu.Lock()
	y.history.Commits, y.wideCommits = append(y.history.Commits, y.files), append(y.wideCommits, y.widen())
	y.mu.Unlock()
	text := ""
	for _, l := range y.limits {
		text += fmt.Sprintf("---\nkind: spend_limit_window\nkey: %s\nname: %s\namount: %d\nstart: %s\nend: %s\n",
			l.key, l.name(), l.micros/1_000_000, l.start.Format(time.DateOnly), l.end.Format(time.DateOnly))
	}
	if text == "" {
		_ = os.Remove(filepath.Join(y.dir, "limits.yaml"))
	} else {
		saveFile(y.t, filepath.Join(y.dir, "limits.yaml"), text)
	}
	y.emit()
}

// text is the files as YAML.
func (y *years) text(f oracle.Files) string {
	var b strings.Builder
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		item := f[tag]
		fmt.Fprintf(&b, "---\nkind: %s\nkey: %s\n", item.Kind, tag)
		for parent, ok := f[item.Parent]; ok; parent, ok = f[parent.Parent] {
			fmt.Fprintf(&b, "%s: %s\n", parent.Kind, parent.Tag)
		}
		for _, name := range slices.Sorted(maps.Keys(item.Values)) {
			value := ""
			switch v := item.Values[name].(type) {
			case int64:
				value = fmt.Sprintf("%d.%06d", v/1_000_000, v%1_000_000)
			case string:
				value = strconv.Quote(v)
			case []string:
				value = "[" + strings.Join(v, ", ") + "]"
			}
			if outer, inner, nested := strings.Cut(name, "."); nested {
				fmt.Fprintf(&b, "%s: {%s: %s}\n", outer, inner, value)
				continue
			}
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String()
}

var collections = map[string]string{"campaign": "/campaigns/", "ad_group": "/ad_groups/", "ad": "/ads/"}

// foreign is what somebody else does at the service.
func (y *years) foreign() {
	y.collect()
	y.mu.Lock()
	ids, live := y.history.Standing(), y.history.Live(1<<60)
	y.mu.Unlock()
	if len(ids) == 0 || y.draw(12) == 0 {
		y.made++
		y.person("/campaigns", map[string]any{
			"name": fmt.Sprintf("x%d stranger", y.made), "status": "active",
			"bidding_type": "clicks", "budget": map[string]any{"daily_spend_limit_micros": 5_000_000},
		})
		return
	}
	e := live[ids[y.draw(len(ids))]]
	path, tag := collections[e.Kind]+e.ID, firstWord(e.After["name"])
	switch y.draw(6) {
	case 0:
		y.person(path+"/pause", nil)
	case 1:
		y.person(path+"/activate", nil)
	case 2:
		if y.draw(4) == 0 {
			y.person(path+"/archive", nil)
		}
	case 3:
		if budget, _ := e.After["budget"].(map[string]any); e.Kind == "campaign" {
			for name, value := range budget {
				if value != nil {
					y.person(path, map[string]any{"budget": map[string]any{name: int64(11+y.draw(20)) * 1_000_000}})
				}
			}
		}
	default:
		y.person(path, map[string]any{"name": fmt.Sprintf("%s by hand %d", tag, y.draw(100))})
	}
}

func firstWord(name any) string {
	first, _, _ := strings.Cut(fmt.Sprint(name), " ")
	return first
}

// daysFaults end by themselves, or with disarm.
var daysFaults = strings.Split(strings.TrimSpace(`
{"match": {"method": "POST", "nth": 2}, "action": {"drop_before_commit": {}}}
{"match": {"method": "POST", "times": 2}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "probability": 0.2}, "action": {"drop_after_commit": {}}}
{"match": {"method": "GET", "every": 3}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "times": 2}, "action": {"duplicate": {}}}
{"match": {"method": "GET", "every": 4, "times": 4}, "action": {"delay": {"for": "5s"}}}
{"match": {"path": "/bulk_mutation_jobs", "times": 2}, "action": {"delay": {"for": "70s"}}}
{"match": {"times": 2}, "action": {"status": {"code": 429, "retry_after": 7}}}
{"match": {"times": 3}, "action": {"status": {"code": 503, "retry_after": 30}}}
{"match": {}, "action": {"status": {"code": 503}}}
{"match": {"method": "POST", "times": 8}, "action": {"status": {"code": 503}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 500, "commit": true}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 422}}}
{"match": {"method": "GET", "times": 3}, "action": {"status": {"code": 401}}}
{"match": {"method": "POST", "nth": 2}, "action": {"mutate_body": {"how": "truncate"}}}
{"match": {"method": "GET", "every": 7}, "action": {"mutate_body": {"how": "html"}}}
{"match": {}, "action": {"job": {"do": "stuck"}}}
{"match": {"times": 1}, "action": {"job": {"do": "fail_op", "n": 1, "retryable": true, "retry_after": 30}}}
{"match": {"times": 2}, "action": {"job": {"do": "fail_op", "n": 1, "retryable": false, "code": "invalid_value"}}}
{"match": {"times": 1}, "action": {"job": {"do": "skip", "n": 2}}}
{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}
{"match": {"times": 1}, "action": {"job": {"do": "job_error", "message": "broken"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"flip": {"what": "account"}}}
`), "\n")

func (y *years) fault() {
	text := fmt.Sprintf(`{"seed": %d, "faults": [%s]}`, 1+y.draw(1000), daysFaults[y.draw(len(daysFaults))])
	armed, err := fault.Parse([]byte(text))
	noError(y.t, err)
	noError(y.t, y.service.Faults().Arm(armed...))
	if y.draw(2) == 0 {
		y.edit()
	}
}

func (y *years) disarm() {
	for _, s := range y.service.Faults().States() {
		y.did["faults fired"] += s.Fired
	}
	y.service.Faults().Disarm("")
}

// kill has the daemon die at one of its next effects.
func (y *years) kill() {
	y.edit()
	y.life.dieSoon(1+y.draw(60), y.draw(2) == 0)
}

func (y *years) restart() {
	y.end()
	y.begin()
}

func (y *years) suspend() {
	_ = y.hub.Order(y.t.Context(), "shop", daemon.Suspending(daemon.Suspension{
		By: "bert", Since: time.Now(), Until: time.Now().Add(time.Duration(1+y.draw(600)) * time.Minute),
	}))
}

func (y *years) stop() {
	name := y.orders().Where(orders.StopName)
	if os.Remove(name) != nil {
		saveFile(y.t, name, "")
	}
	y.emit()
}

func (y *years) ask() {
	_, err := y.orders().Ask(orders.Ask{By: "ann", Full: y.draw(2) == 0, Since: time.Now()})
	noError(y.t, err)
}

// approve allows what the last plan holds, but for what somebody else did and what
// is more than the files ask for: those are never released here.
func (y *years) approve() {
	plan := y.hub.Plan("shop")
	if plan == nil {
		return
	}
	var allow []string
	for i := range plan.Changes {
		if h := plan.Changes[i].Held; h != nil && ours(h.Allow) {
			allow = append(allow, h.Allow)
		}
		for k := range plan.Changes[i].Fields {
			if h := plan.Changes[i].Fields[k].Held; h != nil && ours(h.Allow) {
				allow = append(allow, h.Allow)
			}
		}
	}
	if len(allow) > 0 && y.hub.Approve(y.t.Context(),
		"shop", daemon.Approval{PlanHash: plan.PlanHash, Allow: allow, By: "ann", Time: time.Now()}) == nil {
		y.did["approved"]++
	}
}

func ours(allow string) bool {
	hazard, _, _ := strings.Cut(allow, "=")
	return slices.Contains([]string{"activates", "raises-spend", "exposure", "archives", "updates"}, hazard)
}

func (y *years) pauseAccount() {
	y.person("/ad_account/pause", nil)
	y.until(time.Now().Add(time.Duration(y.draw(120)) * time.Minute))
	y.person("/ad_account/activate", nil)
}
