package plan

import "slices"

// Explanation is what there is to know of a hazard, for people.
type Explanation struct {
	Hazard  Hazard
	Means   string // what it says of a change
	Why     string // when it comes
	Do      string
	Example string // as a plan prints it, or the allowance
}

// Explain returns the explanation of a hazard.
func Explain(h Hazard) (Explanation, bool) {
	i := slices.IndexFunc(explanations, func(e Explanation) bool { return e.Hazard == h })
	if i < 0 {
		return Explanation{}, false
	}
	return explanations[i], true
}

// Explanations returns one for every hazard: what concerns money first.
func Explanations() []Explanation { return slices.Clone(explanations) }

var explanations = []Explanation{
	{RaisesSpend, "more can be spent",
		"A budget, a bid or a spend limit rises by more than the policy lets pass in 24 hours.",
		"Check the amount. If it is meant, allow it at its address; from five times on, with the very amount.",
		"--allow raises-spend=campaign/x=500"},
	{Exposure, "the whole account can spend more a day than the policy lets pass",
		"The daily caps of all active campaigns, and what is left of lifetime budgets, rise together.",
		"Look at the sum in the plan's first line, and allow the rise, or apply a part with --target.",
		"--allow exposure=120/day"},
	{ExceedsFiles, "with what is held, more could be spent than before and than the files ask for",
		"Another change, such as a decrease or drift, is held, so that its money is not free yet.",
		"Release what is held, write it in the file, or allow this one by its address.",
		"--allow exceeds-files=campaign/x"},
	{Activates, "something starts", "What the service shows as paused goes to active, and money can go.",
		"A plan says which. Where it is held, allow it at its address.",
		"--allow activates=campaign/x"},
	{Unattended, "it raises while nobody looks", "The run is unattended, and no ceiling of the account is set.",
		"Set max_daily_exposure in the operator's file, or apply it yourself.",
		"policy: {max_daily_exposure: 300}"},
	{Archives, "it archives, which cannot be undone",
		"The files say status: archived, or prune takes away what left them.",
		"Pause instead, or allow the one, or a number of a kind.",
		"--allow archives=campaign/x"},
	{Updates, "much of a kind changes at once",
		"More than 30% of a kind that has ten or more are updated: a replaced column looks like this.",
		"Look through the plan. If it is meant, allow that many.",
		"--allow updates=40"},
	{ShrinksAudience, "most people leave an audience", "The new list of people is much shorter than the one before.",
		"Check that the members file is whole, then allow it.",
		"--allow shrinks-audience=audience/x"},
	{Protected, "the row protects the resource from it", "protect: on its row names this kind of change.",
		"Take the word out of protect: first; nothing else releases it.",
		"protect: [archive, budget]"},
	{Frozen, "a freeze window is open, or may be",
		"freeze: in the policy says that nothing changes now. Pauses and decreases pass.",
		"Wait until it ends; where the clocks of this machine and the service are apart, set the clock right.",
		"adsync policy show"},
	{Conflicts, "the files and somebody else both changed it",
		"Since the last apply the value was edited in the files and at the service.",
		"Take over theirs with adsync drift --accept, or allow yours to go over it.",
		"--allow conflict=campaign/x"},
	{Drifts, "somebody else changed it at the service",
		"The files are as they were applied, and the service shows another value.",
		"Take it over with adsync drift --accept, allow undoing it, or leave the attribute out of the files.",
		"--allow drift=campaign/x"},
	{RemovedByHand, "somebody archived it at the service",
		"It is in the files and was applied, and is archived or gone now.",
		"Take it out of the files, or allow making it again, as a new one without its history.",
		"--allow removed-by-hand=campaign/x"},
	{Adopts, "one like it is there, which adsync did not make",
		"The service has one of the same name under the same parent, and the record does not know it.",
		"If it is the same, allow adsync to manage it; if not, give yours another name.",
		"--allow adopt=campaign/x"},
	{Twins, "a second one of what is there may come",
		"The service has one that may be the same, and nothing tells for certain.",
		"Look in the ad manager: adopt that one, or allow making another.",
		"--allow twin=campaign/x"},
	{Replaces, "it is archived and made again",
		"The service cannot change this attribute afterwards. The history stays with the old one.",
		"Set the value back, or allow the replacement.",
		"--allow replace=campaign/x"},
	{Shifted, "it says what other rows of its column said before",
		"A column was sorted or moved, and the ones beside it were not, or a key was given to another row.",
		"Sort the whole sheet again by its key, or allow it.",
		"--allow shifted=campaign/x"},
	{Series, "a column counts up from row to row", "A cell was pulled down, and the program made a series of it.",
		"Write the values again, or allow them.",
		"--allow series=campaign/x"},
	{Scale, "an amount is ten or a hundred times what it was, or far from all others",
		"A decimal point was lost, or an amount is in cents.",
		"Check the amount; allow it if it is meant.",
		"--allow scale=campaign/x"},
	{MassEdit, "the same replacement, or the same value, in many rows",
		"Find and replace went over more than was meant, or a cell was copied over many.",
		"Look at the rows, and allow it if they are all meant.",
		"--allow mass-edit=campaign/x"},
	{Invalid, "a cell of its row is not valid", "A row with a cell that is wrong waits, and with it what is beneath " +
		"it. Nothing of its kind is pruned meanwhile, and nothing rises that counts on what the cell may have lowered.",
		"Mend the cell the plan names; adsync validate lists them all.",
		"adsync validate"},
	{WasRefused, "the service refused it as it is", "Nothing has changed since, and nobody looks.",
		"Edit the row, or allow asking again after that very refusal.",
		"--allow refused=campaign/x=1f2e3d4c5b6a"},
	{Unavailable, "the account may not use this kind", "The service refuses it to this account, key or country.",
		"Have it enabled for the account, or take the row out.",
		"audience/x (unavailable)"},
	{Incomplete, "it lacks what it needs at the service",
		"A create has no value the service asks for, or its days are another one's for now.",
		"Add what the plan names; where another makes way in the same plan, apply twice.",
		"spend_limit_window/x (incomplete)"},
	{Late, "its day has passed while it waited",
		"The end of a new campaign, or a day of a spend limit, is before today.",
		"Write another day, or take the row out.",
		"campaign/x (late)"},
	{Undecided, "it depends on a request whose outcome nobody knows",
		"An answer was lost, and adsync has not found yet what became " +
			"of it: nothing newer goes to the same resource, and nothing rises that counts on money it was to free.",
		"Apply again: it waits a minute where that " +
			"decides it. What stays unknown is decided with adsync resolve ADDRESS.",
		"adsync resolve campaign/x"},
	{Unselected, "it needs what --target or --exclude leaves out",
		"The parent, or what it stands in place of, is not part of the selection.",
		"Select that as well.",
		"adsync apply --target campaign/x"},
	{Outdated, "it is not what the saved plan says", "The files or the account have moved since the plan was saved.",
		"Plan again, and save it again.",
		"adsync plan --out plan.json"},
	{WidensTargeting, "more people can be reached",
		"A place or an audience is added, or one that was left out is not any more. It is shown and holds nothing.",
		"Check that the budget is meant for them.",
		"campaign/x (widens-targeting)"},
	{RestartsReview, "the service reviews the ad again",
		"Its text, picture or page changes. It is shown and holds nothing.",
		"Expect it not to be delivered until it is approved.",
		"ad/x (restarts-review)"},
}
