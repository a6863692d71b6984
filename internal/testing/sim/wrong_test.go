package sim

import (
	"testing"
	"time"
)

// Histories that went wrong once; docs/develop/bugs.md says why.
func TestHistoriesThatWentWrong(t *testing.T) {
	for _, row := range []struct {
		name string
		script
	}{
		{"the bid of a campaign that pays for impressions", script{
			Seed: 1, Actions: []action{{Do: "add", Value: 2}, {Do: "add", What: 1}, {Do: "apply"}},
		}},
		{"stopped before that bid", script{
			Seed: 40, Actions: []action{{Do: "add", Value: 20},
				{Do: "add", What: 1}, {Do: "apply", Death: death{At: 44, Keep: true}}},
		}},
		{"stopped before that bid was recorded", script{
			Seed: 1141, Actions: []action{{Do: "add", Value: 20},
				{Do: "add", What: 1}, {Do: "apply", Death: death{At: 46}}},
		}},
		{"a job that cannot be asked for any more", script{Seed: 1664, Actions: []action{
			{Do: "add"}, {Do: "apply"}, {Do: "add"},
			{Do: "fault", Fault: `{"match": {"method": ` +
				`"POST", "nth": 2}, "action": {"flip": {"what": "feature", "feature": "bulk"}}}`}, {Do: "apply"},
		}}},
		{"a probe whose result is lost", script{Seed: 129403, Points: 4842466573236654797, Actions: []action{
			{Do: "add", Value: 51}, {Do: "fault",
				Fault: `{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}`}, {Do: "apply"},
		}}},
		{"a lost result, and a pause of what was started meanwhile", script{Seed: 23863, Actions: []action{
			{Do: "add"}, {Do: "add"},
			{Do: "fault", Fault: `{"match": {"times": 2}, "action": {"job": {"do": "lose_result", "n": 2}}}`},
			{Do: "apply"}, {Do: "edit"},
		}}},
		{"a budget somebody raised, beneath an activation", script{Seed: 1941, Actions: []action{
			{Do: "add", Value: 23}, {Do: "apply"}, {Do: "edit", Value: 43}, {Do: "foreign", What: 14, Value: 36},
		}}},
		{"an activation by somebody, before a raised budget", script{Seed: 10904, Actions: []action{
			{Do: "add", Value: 20}, {Do: "apply"}, {Do: "foreign", What: 1}, {Do: "edit", What: 14, Value: 38},
		}}},
		{"a lost result, a death, and keys that are known late",
			script{Seed: 4000489, Points: 6743976536629933429, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1, Value: 37},
				{Do: "fault", Fault: `{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}`},
				{Do: "add", Value: 3}, {Do: "apply", Death: death{At: 50, Keep: true}}, {Do: "apply"},
			}}},
		{"a skipped create, and another agent with a state of its own",
			script{Seed: 5010629, Points: 3882683165317269899, Actions: []action{
				{Do: "add"}, {Do: "add"}, {Do: "apply", Death: death{At: 44, Keep: true}},
				{Do: "fault", Fault: `{"match": {"times": 1}, "action": {"job": {"do": "skip", "n": 2}}}`},
				{Do: "both"},
			}}},
		{"an archive behind an operation that somebody left standing",
			script{Seed: 1268, Points: 3706442443979837771, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "foreign other", What: 21}, {Do: "edit other"},
			}}},
		{"the same, and the refusal does not say why",
			script{Seed: 1400, Points: 4020317823105370709, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "foreign other", What: 6}, {Do: "edit other"},
			}}},
		{"a lost answer behind an operation that somebody left standing",
			script{Seed: 1268, Points: 3706442443979837771, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "fault", Fault: `{"match": {"path": ` +
					`"/custom_audiences/{custom_audience_id}/add", "times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "probability": 0.2}, "action": {"drop_after_commit": {}}}`},
				{Do: "foreign other", What: 21}, {Do: "edit other", What: 6, Value: 48}, {Do: "both"},
			}}},
		{"an edited limit of an account that has none by now", script{Seed: 50002088, Kinds: true, Actions: []action{
			{Do: "add other", What: 1}, {Do: "apply"}, {Do: "edit other"}, {Do: "fault",
				Fault: `{"match": {"method": "POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
			{Do: "apply"},
		}}},
		{"a lost limit of an account that has none by now", script{Seed: 50000669, Kinds: true, Actions: []action{
			{Do: "add other"}, {Do: "apply"}, {Do: "add other", What: 1}, {Do: "fault", Fault: `{"match": {"method": ` +
				`"POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`}, {Do: "apply", Death: death{At: 29}},
		}}},
		{"a second of one key that the service made is archived",
			script{Seed: 50000246, Points: 1740768418405760503, Kinds: true, Actions: []action{
				{Do: "fault", Fault: `{"match": {"times": 2}, "action": {"job": {"do": "lose_result", "n": 2}}}`},
				{Do: "add"}, {Do: "add"}, {Do: "apply"},
			}}},
		{"the files begin to name the status of an account that somebody paused",
			script{Seed: 50003529, Kinds: true, Actions: []action{
				{Do: "add other", What: 6}, {Do: "apply"},
				{Do: "foreign other"}, {Do: "edit other", What: 2, Value: 27},
			}}},
		{"a first list whose answer is lost for long",
			script{Seed: 20090618, Points: 7438837588033278511, Kinds: true, Actions: []action{
				{Do: "add other", Value: 5},
				{Do: "fault", Fault: `{"match": {"path": ` +
					`"/custom_audiences/{custom_audience_id}/replace", ` +
					`"times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"},
				{Do: "edit other", What: 26},
				{Do: "apply"},
			}}},
		{"people that the service put in twice under one key",
			script{Seed: 20007852, Points: 6244544418499635191, Strict: true, Kinds: true, Actions: []action{
				{Do: "add other", Value: 57},
				{Do: "apply"},
				{Do: "edit other", What: 2},
				{Do: "fault", Fault: `{"match": {"path": ` +
					`"/custom_audiences/{custom_audience_id}/add", "times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"},
				{Do: "edit other", What: 11},
			}}},
		{"a death before the people of a create were seen, and somebody puts one in",
			script{Seed: 20023287, Points: 5126160221294005741, Kinds: true, Actions: []action{
				{Do: "add other"},
				{Do: "apply", Death: death{At: 63, Keep: true}},
				{Do: "edit other", What: 25, Value: 59},
				{Do: "apply"},
				{Do: "foreign other", What: 5},
			}}},
		{"a lost create of an audience that somebody puts people into",
			script{Seed: 20083683, Points: 3400203643517940207, Kinds: true, Actions: []action{
				{Do: "add other"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "path": "/custom_audiences", "times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"},
				{Do: "foreign other", What: 17},
				{Do: "edit other", What: 11, Value: 29},
			}}},
		{"all audiences end", script{Seed: 20004269, Kinds: true, Actions: []action{
			{Do: "add other"},
			{Do: "add other"},
			{Do: "apply"},
			{Do: "edit other"},
			{Do: "edit other"},
		}}},
		{"a lost create of a limit that somebody renames", script{Seed: 20012496, Kinds: true, Actions: []action{
			{Do: "add other", What: 1},
			{Do: "fault", Fault: `{"match": {"method": "POST", "path": ` +
				`"/ad_account/spend_limit_windows", "times": 1}, "action": {"mutate_body": {"how": "truncate"}}}`},
			{Do: "apply"},
			{Do: "foreign other", What: 21},
			{Do: "edit other", What: 17},
		}}},
		{"a campaign that waits for a limit the account may not have",
			script{Seed: 20021820, Kinds: true, Actions: []action{
				{Do: "add other", What: 2},
				{Do: "apply"},
				{Do: "edit other"},
				{Do: "add"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
				{Do: "apply"},
			}}},
		{"a limit that somebody takes away and nobody sees any more",
			script{Seed: 20072101, Kinds: true, Actions: []action{
				{Do: "add other", What: 2},
				{Do: "add"},
				{Do: "apply"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
				{Do: "foreign other"},
				{Do: "edit"},
				{Do: "apply"},
			}}},
		{"an account that the service pauses", script{Seed: 20029462, Kinds: true, Actions: []action{
			{Do: "add other", What: 6},
			{Do: "edit other", What: 17, Value: 25},
			{Do: "fault", Fault: `{"match": {"method": "POST", "nth": 2}, "action": {"flip": {"what": "account"}}}`},
			{Do: "apply"},
		}}},
		{"a lost create that somebody archived", script{Seed: 20045721, Actions: []action{
			{Do: "add", Value: 41}, {Do: "add"}, {Do: "apply", Death: death{At: 43}}, {Do: "foreign", What: 11},
		}}},
		{"a lost create that somebody renamed", script{Seed: 20062567, Actions: []action{
			{Do: "add"}, {Do: "apply", Death: death{At: 38, Keep: true}}, {Do: "foreign", What: 3},
		}}},
		{"a refused job, and another agent with a state of its own", script{Seed: 20095112, Actions: []action{
			{Do: "add"}, {Do: "fault", Fault: `{"match": {"method": ` +
				`"POST", "nth": 3}, "action": {"status": {"code": 422}}}`}, {Do: "apply"}, {Do: "both"},
		}}},
		{"a refused request, and another agent with a state of its own",
			script{Seed: 20095112, Points: 5109882263752644539, Actions: []action{
				{Do: "add", Value: 45}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 3}, "action": {"status": {"code": 422}}}`}, {Do: "apply"}, {Do: "both"},
			}}},
		{"a refused tree is parted, and another agent makes it whole", script{Seed: 740003316, Actions: []action{
			{Do: "add", Value: 29}, {Do: "add", What: 1}, {Do: "fault",
				Fault: `{"match": {"method": "POST", "nth": 3}, "action": {"status": {"code": 422}}}`}, {Do: "both"},
		}}},
		{"the same, and the service makes two campaigns of one key",
			script{Seed: 740003316, Points: 5944075805993875345, Actions: []action{
				{Do: "add", Value: 29}, {Do: "add", What: 1}, {Do: "fault",
					Fault: `{"match": {"method": "POST", "nth": 3}, "action": {"status": {"code": 422}}}`},
				{Do: "both"},
			}}},
		{"what somebody archived stays known while a row waits that may be it",
			script{Seed: 760009669, Spoils: true, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add"},
				{Do: "apply"}, {Do: "foreign", Target: 10, What: 20}, {Do: "spoil", Target: 11, What: 9},
			}}},
		{"the same, beneath a campaign that left the files", script{Seed: 760004677, Spoils: true, Actions: []action{
			{Do: "add"}, {Do: "add"}, {Do: "add", What: 1, Value: 59}, {Do: "apply"},
			{Do: "remove"}, {Do: "spoil", Target: 7, What: 27}, {Do: "foreign", Target: 16, What: 11},
		}}},
		{"an active ad beneath a new ad group that stays paused, beside a wrong bid",
			script{Seed: 760013353, Spoils: true, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "apply"},
				{Do: "spoil", Target: 1}, {Do: "add", What: 1, Value: 2}, {Do: "add", What: 2, Value: 1},
			}}},
		{"a new ad group beside one that left the files, and a row that may be it",
			script{Seed: 760016369, Spoils: true, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "apply"}, {Do: "remove", Target: 3},
				{Do: "add", What: 1}, {Do: "spoil", Target: 9, What: 21}, {Do: "add", What: 1},
			}}},
		{"a death between a job that is refused whole and its parts, and an edit",
			script{Seed: 780001136, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "add other", What: 5},
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add", Value: 29},
				{Do: "fault", Fault: `{"match": {"method": "POST", "nth": 3}, "action": {"status": {"code": 422}}}`},
				{Do: "add", What: 2}, {Do: "apply", Death: death{At: 50}}, {Do: "edit"},
			}}},
		{"a limit that was made though refused, and that somebody took away",
			script{Seed: 760002464, Kinds: true, Actions: []action{
				{Do: "add other", What: 1}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "times": 2}, "action": {"duplicate": {}}}`}, {Do: "apply"}, {Do: "foreign other"},
			}}},
		{"another agent's campaign under a name of before, and its key is forgotten",
			script{Seed: 20025611, Points: 5890428029970989473, Actions: []action{
				{Do: "add"}, {Do: "late apply", Agent: 1}, {Do: "edit", What: 18},
			}}},
		{"an edited limit of unknown outcome, and the account has none by now",
			script{Seed: 40000710, Kinds: true, Actions: []action{
				{Do: "add other", What: 1},
				{Do: "apply"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
				{Do: "edit other"},
				{Do: "fault", Fault: `{"match": {"method": "POST", "times": 8}, "action": {"status": {"code": 503}}}`},
				{Do: "apply"},
			}}},
		{"a lost campaign whose child does not name it",
			script{Seed: 20086746, Points: 6918550993252591709, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "fault",
					Fault: `{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}`}, {Do: "apply"},
			}}},
		{"the same, and lists show it late", script{Seed: 20004386, Points: 2576691899797039277, Actions: []action{
			{Do: "add"}, {Do: "add", What: 1}, {Do: "fault",
				Fault: `{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}`}, {Do: "late apply"},
		}}},
		{"more days of a limit the account may not have, and a campaign",
			script{Seed: 20006063, Kinds: true, Actions: []action{
				{Do: "add other", What: 2}, {Do: "apply"}, {Do: "fault",
					Fault: `{"match": {"method": "POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
				{Do: "edit other", What: 27, Value: 47}, {Do: "apply"}, {Do: "add"},
			}}},
		{"a new limit the account may not have, and a campaign", script{Seed: 20030734, Kinds: true, Actions: []action{
			{Do: "add other", What: 1}, {Do: "apply"}, {Do: "add"}, {Do: "add other", What: 1}, {Do: "fault",
				Fault: `{"match": {"method": "POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}`},
			{Do: "apply"},
		}}},
		{"a limit that was sent twice, and lowered before it is adopted",
			script{Seed: 20036346, Kinds: true, Actions: []action{
				{Do: "add", Value: 10}, {Do: "apply", Death: death{At: 55}},
				{Do: "fault", Fault: `{"match": {"method": "POST", "times": 2}, "action": {"duplicate": {}}}`},
				{Do: "add other", What: 1}, {Do: "apply"}, {Do: "edit other"},
			}}},
		{"an edit of a limit that was sent twice, and the next one",
			script{Seed: 20097947, Kinds: true, Actions: []action{
				{Do: "add other", What: 2, Value: 15}, {Do: "apply"}, {Do: "edit other", Value: 18}, {Do: "add"},
				{Do: "fault", Fault: `{"match": {"method": "POST", "times": 2}, "action": {"duplicate": {}}}`},
				{Do: "late apply"}, {Do: "edit other"},
			}}},
		{"somebody changes a limit before its rise, and a campaign",
			script{Seed: 20064446, Kinds: true, Actions: []action{
				{Do: "add other", What: 2}, {Do: "apply"},
				{Do: "add"}, {Do: "edit other", What: 15}, {Do: "race"}, {Do: "apply"},
			}}},
		{"a person says of a campaign that it was not made, and its ad group is another agent's",
			script{Seed: 110034559, Actions: []action{
				{Do: "add"}, {Do: "add", What: 4}, {Do: "apply", Agent: 1},
				{Do: "fault", Fault: `{"match": {"method": "POST", "nth": 2}, "action": ` +
					`{"flip": {"what": "feature", "feature": "bulk"}}}`}, {Do: "foreign", What: 20}, {Do: "apply"},
			}}},
		{"a refused campaign that is edited, and another agent at the same moment",
			script{Seed: 110085795, Actions: []action{
				{Do: "add"}, {Do: "add", Value: 3},
				{Do: "fault", Fault: `{"match": {"method": "POST", "nth": 3}, "action": {"status": {"code": 422}}}`},
				{Do: "remove"}, {Do: "apply"}, {Do: "edit", What: 6}, {Do: "both"},
			}}},
		{"somebody writes a description between two writes of an apply", script{Seed: 110059540, Actions: []action{
			{Do: "add"}, {Do: "apply"},
			{Do: "fault", Fault: `{"match": {"path": "/campaigns/{campaign_id}", ` +
				`"times": 1}, "action": {"foreign_write": {"actor": "person", "patch": {"description": "by hand"}}}}`},
			{Do: "edit", What: 1}, {Do: "edit", What: 3}, {Do: "apply"},
		}}},
		{"the same, and a budget that is raised", script{Seed: 110095031, Actions: []action{
			{Do: "add"}, {Do: "apply"}, {Do: "edit", What: 3}, {Do: "edit", What: 6},
			{Do: "fault", Fault: `{"match": {"path": "/campaigns/{campaign_id}", "times": 1}, "action": ` +
				`{"foreign_write": {"actor": "person", "patch": {"description": "by hand"}}}}`}, {Do: "apply"},
		}}},
		{"a rise of a limit that is refused as stale without saying so, and campaigns",
			script{Seed: 110031535, Points: 907321774432611409, Kinds: true, Actions: []action{
				{Do: "add other", What: 2}, {Do: "apply"}, {Do: "add"}, {Do: "add"},
				{Do: "edit other", Value: 45}, {Do: "add"}, {Do: "race", What: 8, Value: 48}, {Do: "apply"},
			}}},
		{"a limit that is made long after it was lost, and the files end it",
			script{Seed: 110013922, Kinds: true, Actions: []action{
				{Do: "add other", What: 2}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 2}, "action": {"hold_until": {"step": "s", "side": "request"}}}`}, {Do: "apply"},
				{Do: "edit other", What: 23}, {Do: "advance", Wait: 25 * time.Minute}, {Do: "apply"},
			}}},
		{"a merge of what has an operation that somebody left standing",
			script{Seed: 110085846, Points: 4929892581502780237, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "add other"}, {Do: "add other"}, {Do: "foreign other", What: 1},
			}}},
		{"a merge by two agents at once", script{
			Seed: 140003632, Kinds: true,
			Actions: []action{{Do: "add other"}, {Do: "add other"}, {Do: "add other"}, {Do: "both"}},
		}},
		{"somebody starts and pauses what the files start", script{Seed: 60000546, Kinds: true, Actions: []action{
			{Do: "add", Value: 35}, {Do: "apply"},
			{Do: "edit", Value: 11}, {Do: "edit other"}, {Do: "foreign", What: 10}, {Do: "foreign"},
		}}},
		{"the same, beside a campaign that is new", script{Seed: 110071691, Kinds: true, Actions: []action{
			{Do: "add", Value: 2}, {Do: "apply"}, {Do: "foreign", What: 10},
			{Do: "edit", Value: 43}, {Do: "add"}, {Do: "foreign"},
		}}},
		{"somebody pauses what the last apply saw was started", script{Seed: 110071691, Kinds: true, Actions: []action{
			{Do: "add", Value: 2}, {Do: "apply"}, {Do: "foreign", What: 10},
			{Do: "apply"}, {Do: "edit", Value: 43}, {Do: "add"}, {Do: "foreign"},
		}}},
		{"a replacement that is refused, and an ad beneath it",
			script{Seed: 1539, Points: 4416637283675988171, Turns: true, Actions: []action{
				{Do: "add", Value: 39}, {Do: "add", What: 1}, {Do: "apply"}, {Do: "fault",
					Fault: `{"match": {"times": 1}, "action": {"job": {"do": "job_error", "message": "broken"}}}`},
				{Do: "replace"}, {Do: "apply"}, {Do: "add", What: 2, Value: 19}, {Do: "replace", Target: 19},
			}}},
		{"a create that somebody paused is taken back, and applied again",
			script{Seed: 1604, Turns: true, Actions: []action{
				{Do: "add"}, {Do: "apply"}, {Do: "fault",
					Fault: `{"match": {"path": "/campaigns/{campaign_id}", "times": 1}, "action": {"foreign_write": ` +
						`{"actor": "person", "path": ` +
						`"/campaigns/{campaign_id}/pause", "patch": {}, "when": "after"}}}`},
				{Do: "edit", What: 9}, {Do: "apply"}, {Do: "revert", Target: 19},
			}}},
		{"a pause is taken back that a later run ended, and somebody made again",
			script{Seed: 213000317, Turns: true, Actions: []action{
				{Do: "add", Value: 12}, {Do: "apply"}, {Do: "revert", Target: 2, What: 19},
				{Do: "apply"}, {Do: "foreign", Target: 1, What: 18}, {Do: "apply"}, {Do: "revert", Target: 2, What: 18},
			}}},
		{"a refused campaign that is renamed, and its ad group, of two agents at once",
			script{Seed: 174000013, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "nth": 2}, "action": {"status": {"code": 401}}}`}, {Do: "both"}, {Do: "edit", What: 10},
			}}},
		{"an audience that another agent made in the same moment, and a lost create",
			script{Seed: 200056602, Points: 4320037743398460477, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "path": "/uploads", "times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"}, {Do: "add other"}, {Do: "apply", Agent: 1},
				{Do: "edit other", What: 4, Value: 50}, {Do: "apply", Cut: cut{At: 12}},
			}}},
		{"a list of people whose answer dies with its process",
			script{Seed: 200039466, Points: 302579299904746693, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "edit other"},
				{Do: "add other"}, {Do: "add"}, {Do: "apply"}, {Do: "edit other", What: 9, Value: 58},
				{Do: "advance", Wait: 26 * time.Hour}, {Do: "apply", Death: death{At: 54}}, {Do: "edit other", What: 8},
			}}},
		{"the files begin to say that the account runs, and somebody pauses it",
			script{Seed: 300052136, Kinds: true, Actions: []action{
				{Do: "add other", What: 6}, {Do: "apply"},
				{Do: "edit other", What: 17, Value: 35}, {Do: "foreign other"},
			}}},
		{"a child beneath a campaign that was made before the other agent's",
			script{Seed: 300029185, Points: 886647811575119971, Actions: []action{
				{Do: "add"}, {Do: "both"}, {Do: "add", What: 1}, {Do: "both"},
			}}},
		{"people whom somebody's stopped operation puts in, before those of the files",
			script{Seed: 320101885, Points: 36438677639628105, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "edit other", What: 2},
				{Do: "foreign other", What: 3}, {Do: "apply"}, {Do: "edit other", What: 6},
			}}},
		{"an audience whose create is overtaken by the next", script{Seed: 320102322, Kinds: true, Actions: []action{
			{Do: "fault", Fault: `{"match": {"method": ` +
				`"POST", "nth": 2}, "action": {"hold_until": {"step": "s", "side": "request"}}}`},
			{Do: "add other"}, {Do: "apply"}, {Do: "advance", Wait: 25 * time.Minute}, {Do: "apply"},
		}}},
		{"a limit that is made twice by one request, and renamed",
			script{Seed: 300070452, Kinds: true, Actions: []action{
				{Do: "add other", What: 1}, {Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "times": 2}, "action": {"duplicate": {}}}`}, {Do: "apply"}, {Do: "edit other", What: 10},
			}}},
		{"somebody writes what a create left open, before it is read back", script{Seed: 500079131, Actions: []action{
			{Do: "add"}, {Do: "apply", Death: death{At: 43}}, {Do: "edit", What: 3}, {Do: "foreign", What: 7},
		}}},
		{"an ad group beneath a campaign of the other agent that somebody archived",
			script{Seed: 500022511, Points: 1180565086157282327, Actions: []action{
				{Do: "add"}, {Do: "add"}, {Do: "add", What: 1},
				{Do: "apply", Agent: 1}, {Do: "foreign", Target: 19, What: 2}, {Do: "apply"},
			}}},
		{"a list shows a word nobody knows while a create that somebody paused is taken back",
			script{Seed: 41769, Turns: true, Actions: []action{
				{Do: "add"}, {Do: "apply"}, {Do: "foreign"},
				{Do: "fault", Fault: `{"match": {"path": "/campaigns", "times": ` +
					`1}, "action": {"mutate_body": {"how": "unknown_enum", "field": "status", "value": "limited"}}}`},
				{Do: "revert"}, {Do: "apply"},
			}}},
		{"somebody sets what a job was to lower that never left", stranger(1, 60)},
		{"the same, and the job goes again", stranger(4, 53)},
		{"a stranger lowers what the agent was to lower, which needed less",
			script{Seed: 700012264, Points: 3766587079689695191, Strict: true, Guards: true, Actions: []action{
				{Do: "found", Value: 1}, {Do: "apply"},
				{Do: "advance", Wait: 26 * time.Hour}, {Do: "shift"}, {Do: "apply",
					Death: death{At: 77, Keep: true}}, {Do: "foreign"}, {Do: "by hand", Target: 1, What: 19, Value: 4},
			}}},
		{"a list that is to be all, where somebody's operation stands still",
			script{Seed: 700019878, Points: 8234335699066714467, Kinds: true, Actions: []action{
				{Do: "add other"},
				{Do: "fault", Fault: `{"match": {"method": ` +
					`"POST", "path": "/custom_audiences", "times": 1}, "action": {"drop_after_commit": {}}}`},
				{Do: "apply"}, {Do: "add other"}, {Do: "apply", Death: death{At: 48, Keep: true}},
				{Do: "foreign other", What: 26},
			}}},
		{"a second list of people to be taken out, after a first",
			script{Seed: 810000348, Kinds: true, Actions: []action{
				{Do: "add other"}, {Do: "apply"}, {Do: "edit other", What: 3},
				{Do: "apply"}, {Do: "edit other", What: 23, Value: 6},
			}}},
		{"an ad that a lost row may be stands beneath an ad group that waits",
			script{Seed: 810001135, Spoils: true, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add", What: 2}, {Do: "apply"},
				{Do: "spoil", What: 22}, {Do: "raise beside", Value: 44}, {Do: "spoil", Target: 11, What: 28},
			}}},
		{"a job that lowers goes again, and the audit log names it late",
			script{Seed: 802060, Points: 8842865937520029517, Strict: true, Guards: true, Actions: []action{
				{Do: "found", Value: 57}, {Do: "shift"}, {Do: "apply"}, {Do: "advance", Wait: 26 * time.Hour},
				{Do: "shift"}, {Do: "apply", Death: death{At: 77, Keep: true}}, {Do: "apply"},
			}}},
		{"a campaign that somebody started is to make room for another",
			script{Seed: 930000078, Turns: true, Actions: []action{
				{Do: "add", Value: 56}, {Do: "apply"}, {Do: "edit", What: 10}, {Do: "foreign", What: 19},
				{Do: "apply"}, {Do: "replace"},
			}}},
		{"drift from what was applied last, while the files said something else for a while",
			script{Seed: 32090, Revert: true, Bids: true, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "factors", What: 23}, {Do: "apply"},
				{Do: "factors"}, {Do: "foreign factors"}, {Do: "factors", What: 8},
			}}},
		{"a create of a worker that was frozen comes late, and a state is accepted",
			script{Seed: 73832, Points: 6944205297683865627, Workers: 3, Actions: []action{
				{Do: "add", Value: 29}, {Do: "add", Value: 47},
				{Do: "interleave", Target: 385, Value: 425678002},
			}}},
		{"somebody starts what is paused by default before it is read back",
			script{Seed: 82900, Workers: 2, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add", What: 2, Value: 54},
				{Do: "interleave", Target: 162, What: withPeople, Value: 299379713},
			}}},
		{"somebody pauses what a run that takes another back has just read",
			script{Seed: 950000541, Turns: true, Actions: []action{
				{Do: "add"}, {Do: "apply"},
				{Do: "fault", Fault: `{"match": {"path": "/campaigns/{campaign_id}", "times": 1}, "action": ` +
					`{"foreign_write": {"actor": "person", "path": "/campaigns/{campaign_id}/pause", ` +
					`"patch": {}, "when": "after"}}}`},
				{Do: "revert"},
			}}},
		{"a create comes a second time a day later, after another took the place of what it made",
			script{Seed: 971001183, Points: 8118720943768976797, Turns: true, Actions: []action{
				{Do: "add"},
				{Do: "fault", Fault: `{"match": {"method": "POST", "nth": 2}, "action": ` +
					`{"hold_until": {"step": "s", "side": "request"}}}`},
				{Do: "apply"}, {Do: "replace"}, {Do: "advance", Wait: 26 * time.Hour}, {Do: "apply"},
			}}},
		{"somebody gives what is about to be started another budget",
			script{Seed: 991007406, Workers: 3, Actions: []action{
				{Do: "add"}, {Do: "add", Value: 3},
				{Do: "interleave", Target: 180, What: withPeople, Value: 925655087},
			}}},
		{"a row comes to say a parent that is not there, after a run that made its ad has died",
			script{Seed: 994112701, Spoils: true, Workers: 3, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add", What: 2},
				{Do: "apply", Death: death{At: 58, Keep: true}}, {Do: "spoil", What: 28},
			}}},
		{"an ad group is made again after a loss, and the key of its ad is that of the first",
			script{Seed: 991003084, Points: 6628130555956000849, Workers: 2, Actions: []action{
				{Do: "add"}, {Do: "add", What: 1}, {Do: "add", What: 2}, {Do: "add"},
				{Do: "interleave", Target: 384, What: withLosses | withPeople, Value: 102085956},
			}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := play(t, row.script, newTally()); err != nil {
				t.Error(err)
			}
		})
	}
}
