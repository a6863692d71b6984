package conformance

const (
	windows = "/ad_account/spend_limit_windows"
	daily   = "/ad_account/daily_spend_limit"
)

func window(start, end string, micros int64) object {
	return object{"start_date": start, "end_date": end, "amount_micros": micros}
}

// latest reads the configuration's revision.
var latest = get(windows).save("revision", "revision")

// savesDaily is a daily limit with the latest revision, which the step before reads.
func savesDaily(body object) Step { return post(daily, set(body, "expected_revision", "#{revision}")) }

func deletesDaily(body object) Step {
	return post(daily+"/delete", set(body, "expected_revision", "#{revision}"))
}

func rule(micros int64) object { return object{"amount_micros": micros} }

// separate is a daily rule of its own for some days.
func separate(start string, end any, micros int64) object {
	return object{"window_id": nil, "start_date": start, "end_date": end, "amount_micros": micros}
}

// aRule is one daily rule from tomorrow on, {rule}, of 5 units.
var aRule = given(latest, savesDaily(rule(5_000_000)).save("rule", "spend_limits.daily_limit.window_id"), latest)

// twoRules are {rule} for tomorrow and {second} for the days after.
var twoRules = given(
	latest, savesDaily(separate("{day+1}", "{day+2}", 5_000_000)).save("rule",
		"spend_limits.daily_limits[0].window_id"),
	latest, savesDaily(separate("{day+2}", nil, 6_000_000)).save("second",
		"spend_limits.daily_limits[1].window_id"), latest,
)

var aWindow = given(post(windows, window("{day+1}", "{day+5}", 90_000_000)).save("window", "window_id"))

// spending is an account whose ad has run for two days, and on to the afternoon.
var spending = given(aLiveTree, advance(2*day+10*hour))

// rowsOfSpend are part 4, spend limit rules.
var rowsOfSpend = concat(
	[]Row{
		{Rules: "4.spend.list", Name: "no limits at first", Do: get(windows),
			Want: gives(count("data", 0), count("daily_limits", 0), is("daily_limit", nil), integer("revision", 0))},
		{
			Rules: "4.spend.list", Name: "windows come by start",
			Given: given(post(windows, window("{day+9}", "{day+10}", 0)),
				post(windows, window("{day+1}", "{day+2}", 0)), post(windows, window("{day+5}", "{day+6}", 0))),
			Do: get(windows), Want: gives(is("data[0].start_date", "{day+1}"),
				is("data[1].start_date", "{day+5}"), is("data[2].start_date", "{day+9}")),
		},
		{Rules: "4.spend.list", Name: "daily_limit is the earliest of daily_limits", Given: twoRules,
			Do: get(windows), Want: gives(count("daily_limits", 2), is("daily_limit.window_id", "{rule}"))},
		{Rules: "4.spend.list", Name: "daily_limit is the active rule", Given: given(twoRules, advance(day)),
			Do: get(windows), Want: gives(is("daily_limit.window_id", "{rule}"), is("daily_limit.status", "active"))},
		{Rules: "4.spend.window 1.money", Name: "a window", Do: post(windows, window("{day+1}", "{day+5}", 90_000_000)),
			Want: gives(text("window_id"), is("start_date", "{day+1}"),
				is("end_date", "{day+5}"), is("amount_micros", 90_000_000), is("status", "upcoming"))},
		{Rules: "4.spend.window", Name: "a window whose end is its start",
			Do: post(windows, window("{day+1}", "{day+1}", 0)), Want: invalid("end_date")},
		{Rules: "4.spend.window", Name: "a window on the day another ends",
			Given: aWindow, Do: post(windows, window("{day+5}", "{day+6}", 0)), Want: gives()},
		{Rules: "facts.windows", Name: "a window over another",
			Given: aWindow, Do: post(windows, window("{day+4}", "{day+6}", 0)), Want: answers(409, 422)},
		{Rules: "facts.windows", Name: "a window from yesterday",
			Do: post(windows, window("{day-1}", "{day+1}", 0)), Want: invalid("start_date")},
		{Rules: "facts.windows", Name: "half a coin",
			Do: post(windows, window("{day+1}", "{day+2}", 5_000)), Want: invalid("amount_micros")},
		{Rules: "facts.windows", Name: "10^15 micros",
			Do: post(windows, window("{day+1}", "{day+2}", 1_000_000_000_000_000)), Want: gives()},
		{Rules: "facts.windows", Name: "a coin more than 10^15 micros",
			Do: post(windows, window("{day+1}", "{day+2}", 1_000_000_000_010_000)), Want: invalid("amount_micros")},
		{Rules: "facts.windows", Name: "window 60",
			Given: given(everyDay(59)), Do: post(windows, window("{day+100}", "{day+101}", 0)), Want: gives()},
		{Rules: "facts.windows", Name: "window 61", Given: given(everyDay(60)),
			Do: post(windows, window("{day+100}", "{day+101}", 0)), Want: answers(400, 409, 422)},
		{Rules: "4.spend.window", Name: "a window is edited", Given: aWindow, Do: post(windows+"/{window}",
			object{"amount_micros": 80_000_000, "name": "Q4"}), Want: gives(is("window_id", "{window}"),
			is("amount_micros", 80_000_000), is("name", "Q4"), is("end_date", "{day+5}"))},
		{Rules: "4.spend.window", Name: "an edit without a field",
			Given: aWindow, Do: post(windows+"/{window}", object{}), Want: answers(400, 422)},
		{Rules: "4.spend.window", Name: "an edit of no window",
			Do: post(windows+"/none", object{"name": "Q4"}), Want: notFound()},
		{Rules: "4.spend.delete", Name: "a window that is upcoming is deleted", Given: aWindow,
			Do: act(windows + "/{window}/delete"), Want: gives(is("window_id", "{window}"), is("deleted", true)),
			Then: given(get(windows).gives(count("data", 0)))},
		{Rules: "4.spend.delete", Name: "a window that is active is deleted", Given: given(aWindow, advance(day)),
			Do: act(windows + "/{window}/delete"), Want: gives(is("deleted", true))},
		{Rules: "4.spend.delete", Name: "a window that has ended is not deleted",
			Given: given(aWindow, advance(6*day)), Do: act(windows + "/{window}/delete"), Want: answers(400, 409, 422)},
		{Rules: "4.spend.6", Name: "a window that has ended is not edited", Given: given(aWindow, advance(6*day)),
			Do: post(windows+"/{window}", object{"amount_micros": 10_000}), Want: answers(400, 409, 422)},
	},
	unavailable(),
	[]Row{
		{Rules: "4.spend.2", Name: "window_id null makes another rule",
			Given: given(latest, savesDaily(separate("{day+1}", "{day+5}", 5_000_000)), latest),
			Do:    savesDaily(separate("{day+5}", nil, 6_000_000)), Want: gives(count("spend_limits.daily_limits", 2))},
		{Rules: "4.spend.2", Name: "window_id null over days that are taken",
			Given: aRule, Do: savesDaily(separate("{day+3}", nil, 6_000_000)), Want: answers(409, 422)},
		{Rules: "4.spend.2", Name: "an id edits that rule",
			Given: twoRules, Do: savesDaily(object{"window_id": "{second}", "amount_micros": 7_000_000}),
			Want: gives(count("spend_limits.daily_limits", 2), is("spend_limits.daily_limits[0].amount_micros",
				5_000_000), is("spend_limits.daily_limits[1].amount_micros", 7_000_000))},
		{Rules: "4.spend.2", Name: "without window_id the first rule is made",
			Given: given(latest), Do: savesDaily(rule(5_000_000)), Want: gives(count("spend_limits.daily_limits", 1),
				is("spend_limits.daily_limit.amount_micros", 5_000_000))},
		{Rules: "4.spend.2", Name: "without window_id the only rule is edited",
			Given: aRule, Do: savesDaily(rule(6_000_000)),
			Want: gives(count("spend_limits.daily_limits", 1), is("spend_limits.daily_limit.window_id", "{rule}"),
				is("spend_limits.daily_limit.amount_micros", 6_000_000))},
		{Rules: "4.spend.2 7.ambiguous", Name: "a save without window_id and with two rules",
			Given: twoRules, Do: savesDaily(rule(7_000_000)), Want: answers(400, 409, 422), Then: given(get(windows).
				gives(is("daily_limits[0].amount_micros", 5_000_000), is("daily_limits[1].amount_micros", 6_000_000)))},
		{Rules: "4.spend.2", Name: "a rule of nobody", Given: given(latest),
			Do: savesDaily(object{"window_id": "none", "amount_micros": 7_000_000}), Want: notFound()},
		{Rules: "4.spend.3", Name: "end_date is exclusive",
			Given: given(latest, savesDaily(separate("{day+1}", "{day+2}", 5_000_000)), advance(2*day)),
			Do:    get(windows), Want: gives(count("daily_limits", 0), is("daily_limit", nil))},
		{Rules: "4.spend.3", Name: "without end_date the end stays",
			Given: given(latest, savesDaily(separate("{day+1}", "{day+5}", 5_000_000)), latest),
			Do:    savesDaily(rule(6_000_000)), Want: gives(is("spend_limits.daily_limit.end_date", "{day+5}"))},
		{Rules: "4.spend.3", Name: "end_date null takes the end away",
			Given: given(latest, savesDaily(separate("{day+1}", "{day+5}", 5_000_000)), latest),
			Do:    savesDaily(object{"amount_micros": 6_000_000, "end_date": nil}),
			Want:  gives(is("spend_limits.daily_limit.end_date", nil))},
		{Rules: "4.spend.3", Name: "an end_date that is the start",
			Given: given(latest), Do: savesDaily(separate("{day+1}", "{day+1}", 5_000_000)), Want: invalid("end_date")},
		{Rules: "4.spend.4", Name: "the first activation is tomorrow", Given: given(latest),
			Do: savesDaily(rule(5_000_000)), Want: gives(is("spend_limits.daily_limit.start_date", "{day+1}"),
				is("spend_limits.daily_limit.status", "upcoming")),
			Then: given(advance(day), get(windows).gives(is("daily_limit.status", "active")))},
		{Rules: "4.spend.4", Name: "a first activation today", Given: given(latest),
			Do: savesDaily(set(rule(5_000_000), "start_date", "{day}")), Want: invalid("start_date")},
		{
			Rules: "4.spend.5", Name: "a change applies on save and keeps what was spent",
			Given: given(aRule, spending, latest.save("spent", "daily_limit.spent_micros")),
			Do:    savesDaily(rule(9_000_000)), Want: gives(is("spend_limits.daily_limit.amount_micros", 9_000_000),
				is("spend_limits.daily_limit.spent_micros", "#{spent}"),
				not("spend_limits.daily_limit.spent_micros", 0)),
		},
		{Rules: "4.spend.5 7.below_spend", Name: "a daily limit below what was spent",
			Given: given(aRule, spending, latest), Do: savesDaily(rule(0)),
			Want: answers(400, 409, 422), Then: given(get(windows).gives(is("daily_limit.amount_micros", 5_000_000)))},
		{Rules: "4.spend.5", Name: "a window below what was spent",
			Given: given(aWindow, spending), Do: post(windows+"/{window}", object{"amount_micros": 0}),
			Want: answers(422).and(codeIs("budget_window_amount_below_spend"))},
		{Rules: "4.spend.6", Name: "an edit leaves the spend of days before", Given: given(aRule,
			spending, get("/ad_account/insights?time_granularity=none&fields[]=spend").gives(not("data[0].spend",
				0)).save("spent", "data[0].spend"), latest, savesDaily(rule(50_000_000))),
			Do:   get("/ad_account/insights?time_granularity=none&fields[]=spend"),
			Want: gives(is("data[0].spend", "#{spent}"))},
		{Rules: "4.spend.7", Name: "the next day begins with the whole amount",
			Given: given(aRule, spending, get(windows).gives(not("daily_limit.spent_micros", 0)), advance(11*hour)),
			Do:    get(windows), Want: gives(is("daily_limit.amount_micros", 5_000_000),
				is("daily_limit.spent_micros", 0),
				is("daily_limit.remaining_micros", 5_000_000), text("daily_limit.timezone"))},
		{Rules: "4.spend.8 facts.revision", Name: "the revision before",
			Given: given(latest, savesDaily(rule(5_000_000))), Do: savesDaily(rule(6_000_000)), Want: conflict()},
		{Rules: "4.spend.8 facts.revision", Name: "a deletion with the revision before",
			Given: given(latest, savesDaily(rule(5_000_000))), Do: deletesDaily(object{}), Want: conflict()},
		{Rules: "facts.revision", Name: "without a revision",
			Do: post(daily, rule(5_000_000)), Want: invalid("expected_revision")},
		{Rules: "4.spend.9", Name: "the only rule is deleted without window_id",
			Given: given(aWindow, aRule), Do: deletesDaily(object{}),
			Want: gives(count("spend_limits.daily_limits", 0), count("spend_limits.data", 1))},
		{Rules: "4.spend.9", Name: "a deletion with no rule",
			Given: given(latest), Do: deletesDaily(object{}), Want: gives(count("spend_limits.daily_limits", 0))},
		{Rules: "4.spend.9 7.ambiguous", Name: "a deletion without window_id and with two rules",
			Given: twoRules, Do: deletesDaily(object{}),
			Want: answers(400, 409, 422), Then: given(get(windows).gives(count("daily_limits", 2)))},
		{Rules: "4.spend.9", Name: "a rule is deleted by its id",
			Given: twoRules, Do: deletesDaily(object{"window_id": "{rule}"}),
			Want: gives(count("spend_limits.daily_limits", 1), is("spend_limits.daily_limit.window_id", "{second}"))},
		{Rules: "4.spend.9", Name: "a dated window is not deleted as a rule",
			Given: given(aWindow, latest), Do: deletesDaily(object{"window_id": "{window}"}),
			Want: answers(400, 404, 409, 422), Then: given(get(windows).gives(count("data", 1)))},
	},
	fields("window", nil, post(windows, window("{day+1}", "{day+5}", 90_000_000)),
		field{"4.spend.window", "without a start", "start_date", absent, invalid("start_date")},
		field{"4.spend.window", "without an end", "end_date", absent, invalid("end_date")},
		field{"4.spend.window", "without an amount", "amount_micros", absent, invalid("amount_micros")},
		field{"1.money 4.spend.window", "an amount as text", "amount_micros", "90000000", invalid("amount_micros")},
		field{"4.spend.window", "a date that is none", "start_date", "2026-02-30", invalid("start_date")},
		field{"4.spend.window", "an unknown field", "spend_limit_micros", 1, invalid("spend_limit_micros")},
	),
)

// everyDay are n windows of a day each.
func everyDay(n int) (steps []Step) {
	for i := range n {
		steps = append(steps, post(windows, window("{day+"+itoa(i+1)+"}", "{day+"+itoa(i+2)+"}", 0)))
	}
	return steps
}

// unavailable are all spend limit operations on an account without postpaid billing.
func unavailable() (rows []Row) {
	prepaid := given(aWindow, aRule, without("postpaid"))
	for _, do := range []Step{
		get(windows), post(windows, window("{day+8}", "{day+9}", 0)), post(windows+"/{window}", object{"name": "Q4"}),
		act(windows + "/{window}/delete"), savesDaily(rule(6_000_000)), deletesDaily(object{}),
	} {
		rows = append(rows, Row{
			Rules: "4.spend.1 7.not_postpaid", Name: "without postpaid billing: " + do.Method + " " + do.Path,
			Given: prepaid, Do: do, Want: answers(403, 404, 422),
		})
	}
	return rows
}
