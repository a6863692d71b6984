package diag

import "slices"

// Explanation is what there is to know of a code, for people.
type Explanation struct {
	Code    Code
	Means   string // what it says
	Why     string // why it comes
	Do      string
	Example string // a problem as it is printed
}

// Explanations returns one for every code, in the order of the codes.
func Explanations() []Explanation {
	return slices.Concat(aboutFiles, aboutService, aboutState)
}

// Explain returns the explanation of a code.
func Explain(code Code) (Explanation, bool) {
	all := Explanations()
	i := slices.IndexFunc(all, func(e Explanation) bool { return e.Code == code })
	if i < 0 {
		return Explanation{}, false
	}
	return all[i], true
}

var aboutService = []Explanation{
	{ServiceUnavailable, "the service gave no usable answer", "The network " +
		"is cut, a proxy is in between, or the service is down or busy. Requests that can go again did, several times.",
		"Run the same command again later. After an apply, adsync resume asks what became of it.",
		"POST /campaigns: connection broke: no whole " +
			"answer within 1m0s (request req_7, 6 attempts, it may have been applied) (ADS2001)"},
	{Unauthorized, "the API key is refused, or may not do this",
		"The key is wrong, was revoked, or lacks a permission or a feature of the account.",
		"Check ADSYNC_API_KEY, its file or its command, and what the key may do in the ad manager.",
		"read the ad account: GET /ad_account: the service answered 401 Unauthorized (ADS2002)"},
	{OperationFailed, "an operation failed",
		"It could not be said to the service, or a part of it could not, such as an ad whose image was not uploaded.",
		"The message says which value; mend it in your own file and apply again.",
		"q4.xlsx:Ads!E9: title is too long: 70 characters; at most 50 (ADS2003)"},
	{OperationSkipped, "an operation was not run", "It waits for another " +
		"that failed or was not confirmed, such as the create of its parent, or the run was interrupted before it.",
		"See to what it waits for, and apply again.",
		"q4.xlsx:Ads!A10: not run, as an operation before it failed (ADS2004)"},
	{OutcomeUnknown, "nobody knows whether the service did it",
		"The answer to a request was lost, or a job gave no result for it.",
		"Apply again, or adsync resume: both ask " +
			"the service first and make nothing twice. What stays unknown is decided with adsync resolve ADDRESS.",
		"spring.yaml:12:1: the job gave no result for it (ADS2005)"},
	{WrongAccount, "the API key belongs to another account than the files", "account: in adsync.yaml, " +
		"or the record of earlier applies, names another account, currency or time zone than the key opens.",
		"Use the key of this account, or correct account: in adsync.yaml.",
		`the key's account has id "adacct_2"; the files want "adacct_1": nothing was changed (ADS2006)`},
	{NotVerified, "reading back does not show what was applied",
		"The service shows another value than was sent, or does not show the resource yet.",
		"Plan again: where the two still differ, the plan shows both values.",
		"spring.yaml:3:1: applied, but reading back shows that bid.max is 1.10; want 1.25 (ADS2007)"},
	{ServiceRefused, "the service refused what was sent", "A rule of the service " +
		"that adsync cannot check from the files, or a right the account does not have. The words are the service's.",
		"Mend the value it names in your own file and apply again.",
		"far.yaml:6:26: location 99999999999999999999 does not exist (ADS2008)"},
	{SharedOwner, "somebody else changes what these files manage",
		"The audit log names another person or tool that writes the same values again and again.",
		"Agree on one owner: leave the attribute out of the files, or put it under ignore: in adsync.yaml.",
		"spring.yaml:3:1: warning: user usr_7 changed " +
			"campaign/spring and 2 more of these files' resources at the service; want one owner of each (ADS2009)"},
	{RefusedBefore, "the service refused the very same before", "Neither the row nor the resource " +
		"at the service has changed since. Unattended runs leave it out; an apply that somebody looks at asks again.",
		"Edit the row. adsync status shows the service's words and since when.",
		"spring.yaml:12:1: warning: the service " +
			"refused it on 2026-11-01 09:30 EST: not allowed; this asks again (ADS2010)"},
	{JobUnfinished, "a bulk job does not end, or its results do not come whole",
		"The service is slow or stuck. What the job did may still happen.",
		"Apply again later: adsync asks the job first, and sends nothing twice.",
		`job is still not finished: job job_7 is "running" after 1h0m0s (ADS2011)`},
	{KeyConflict, "the service holds another request under the same key",
		"Somebody with another state of this account made the " +
			"resource with other values, or the " +
			"state was copied. Another key would make a second one, so none is used.",
		"Give the id of the one that is there as id: in the files, or decide it: adsync resolve ADDRESS.",
		"campaign/spring: the service holds another " +
			"create under its key, so somebody with another state of this account has made it (ADS2012)"},
	{ReadOneByOne, "the service has no list of a kind", "The account's " +
		"interface lacks the list. What adsync knows is read by id, and what it does not know cannot be seen.",
		"Nothing has to be done. It takes longer, and a resource made by hand is found only by its id:.",
		"warning: the service has no list of ads: the 120 that adsync knows are read one by one (ADS2013)"},
	{CreateConflict, "a create was answered with a conflict, and not with which", "Its key may " +
		"have made something with other values, or what it names is there already. That nothing shows proves nothing.",
		"Look in the ad manager. If it is there, " +
			"give its id as id: in the files; if not, adsync resolve ADDRESS --as not-applied.",
		"campaign/spring: the service answered " +
			"its create with a conflict, and nothing shows whether it is there (ADS2014)"},
	{AccountPaused, "the ad account itself is paused", "Nothing of it is delivered, " +
		"whatever is active in it. What is changed meanwhile counts from the moment somebody activates the account.",
		"Ask who paused it. adsync activates no account " +
			"by itself: that is done in the ad manager, or by status: active of a kind: account in the files.",
		"the ad account is paused at the service: nothing is delivered until somebody activates it (ADS2015)"},
	{ListedByParent, "the service lists a kind beneath one parent at a time, and there are many",
		"Reading all of the " +
			"account takes a request for each parent: each ad group for its ads, or each campaign for its ad groups.",
		"Nothing has to be done. --refresh incremental, and every " +
			"unattended run, reads only what the audit log says was changed since the last full reading of the day.",
		"warning: the service lists ads beneath one parent at a time: " +
			"5000 lists were read, one for each ad group, in at most 11 min under the service's limits (ADS2016)"},
	{TooFewPeople, "an audience has too few people for what names it",
		"The service wants 25,000 matched people in an audience that is targeted or bid for. " +
			"It shows a range below that, or the list of the files has fewer. Excluded audiences may have any size.",
		"Add people to the audience, or take it out there. adsync audience list " +
			"shows the size of each and what the service takes it for.",
		"spring.yaml:6:24: warning: targeting.audiences has audience/customers, whose size at the service is " +
			"under_25k; want 25000 or more matched people for inclusion (ADS2017)"},
	{CameLate, "what an adsync that is gone had sent came after what was sent since",
		"An adsync was killed or froze while it sent a change, another went on in its place, and the change came " +
			"later. The journal has what was sent, and the audit log names adsync's key.",
		"Nothing: the next apply follows the files, as it does with an edit of them; what they do not name stays. " +
			"A pause that came late is held.",
		"warning: budget.daily is 60.00 in place of 70.00: an adsync that was killed or froze had sent " +
			"that, and it came late; the files are followed, as nobody else set it (ADS2018)"},
}

var aboutState = []Explanation{
	{Locked, "another adsync works with this state",
		"One process writes a record at a time. The lock ends with its process, however that ends.",
		"Wait for the other one; adsync status says who it is.",
		"the state is held by process 4711 on desk since 09:30: adsync apply (ADS3001)"},
	{StateDamaged, "adsync's record is damaged or lost",
		"A file of .adsync was deleted, cut or edited, or comes from another place.",
		"Put the folder back from a backup. Without one, move it away and take the account over anew: adsync adopt.",
		".adsync/state.db: it does not check (ADS3002)"},
	{ForeignState, "the record is of another account",
		"The folder .adsync was copied from another project, or account: in adsync.yaml was changed.",
		"Use a state folder of its own for each account.",
		"the state belongs to adacct_1 (USD, America/New_York); the key's account is adacct_2 (ADS3003)"},
	{StalePlan, "the plan is too old, or rests on what has moved",
		"The files, the policy or the account changed since it was made, or it waited longer than it may.",
		"Plan again.",
		"the plan is too old: the account was read " +
			"45m0s ago; want at most 30m0s: plan again, nothing was sent (ADS3004)"},
	{NeedsDecision, "somebody has to decide it", "Neither the journal " +
		"nor the service tells what became of a request, or a value in your file cannot be written by adsync itself.",
		"adsync resolve ADDRESS shows what is known and decides it. What depends on it waits; the rest goes on.",
		"pixel/shop: its create may have happened, and the service has no list of kind pixel (ADS3005)"},
	{StateUnwritten, "adsync's record cannot be written", "The disk is full or " +
		"fails, the folder may not be written, or a file of it was replaced by a link or removed while adsync ran.",
		"Mend the disk or the permissions, then run adsync resume.",
		"open state .adsync: the folder cannot be used: read-only file system (ADS3006)"},
	{DamagedPlan, "a saved plan cannot be read", "The file is cut, was edited, or is none that plan --out wrote.",
		"Plan again.",
		"saved plan: it is cut; plan again (ADS3007)"},
	{UnknownSeal, "a saved plan has another seal",
		"It was edited, or saved with a state or a key that is not the one it is applied with.",
		"Plan again with this state, or set ADSYNC_PLAN_KEY where it is saved and where it is applied.",
		"saved plan: it was sealed with another key; nothing was changed (ADS3008)"},
	{AllowsNothing, "an allowance released nothing",
		"What it allows is not in the plan, is named otherwise, or is more than it allows.",
		"Take it out, or copy the allowance the plan prints.",
		"warning: the allowance raises-spend=120/day released nothing; want one that the plan asks for (ADS3009)"},
	{HistoryHeld, "the history of the branch was rewritten", "The branch went " +
		"back, was rewritten, or a tag was moved. The plan shows what that would change; an apply refuses it.",
		"Look at what changed. Accept the commit (apply --accept-commit), or take the change back with a new commit.",
		"warning: refs/heads/main went back: it stands " +
			"at 973fd1f7f63f, which is older than 92537cd63257, which was accepted last (ADS3010)"},
	{CommittedState, "adsync's own folder is committed",
		"What was applied last is adsync's to say, and not that of whoever can push: " +
			"a state that comes with the files " +
			"is not read from a commit, and refused in a folder. A committed STOP stops.",
		"Take the folder out of git (git rm -r --cached " +
			"ads/.adsync) and name it in .gitignore; take a STOP away with a commit.",
		"ads/.adsync/state.db is committed to git; want adsync's own state out of the repository (ADS3011)"},
	{StateElsewhere, "adsync's record is in another place",
		"It was copied between folder and database (adsync state copy), or a database is named and the " +
			"record is still in the folder.",
		"Go on where the message says it is: ADSYNC_DATABASE, or none. adsync state copy moves it.",
		"the state was copied to the database adsync at db.internal on 2026-11-26T02:10:00Z (ADS3012)"},
}
