// Package seeded holds mistakes that adsync must not make, each behind a build tag
// of its own, so that it is known which test would find it: docs/develop/faults.md. It
// refuses to be part of what people run. Its one invariant: without a tag every
// constant is false, and the compiler leaves out whatever stands behind it.
package seeded

// bug is a mistake that a build tag puts into adsync.
type bug uint8

const (
	none bug = iota
	newKeyOnRetry
	keyFromClock
	keyFromContent
	journalAfterSend
	noFsync
	renameWithoutDirSync
	bodyReserialised
	resultsBeforeComplete
	skippedAsDone
	emptyListOnError
	pageTwoIgnored
	nullBudgetZero
	dailyAsLifetime
	archivedTwinAdopted
	activateUnread
	increasesFirst
	listDecides
	partialSources
	lockByText
	stalePlan
	retryAfterIgnored
	conflictRetried
	floatMoney
	redactionMissing
	foreignPauseUndone
	shareOnly
	commitsApart
)

// The mistakes, in the order of the list they are from. A build has one at most.
const (
	NewKeyOnRetry = built == newKeyOnRetry // a repetition goes under another key
	KeyFromClock  = built == keyFromClock  // the key of a create is made of the clock
	// the key of a create is made of its content: two equal ads have one
	KeyFromContent        = built == keyFromContent
	JournalAfterSend      = built == journalAfterSend      // a job is sent before the journal says so
	NoFsync               = built == noFsync               // a commit of the state is not made durable
	RenameWithoutDirSync  = built == renameWithoutDirSync  // a new name in the folder of the state is not made durable
	BodyReserialised      = built == bodyReserialised      // a repetition is encoded anew
	ResultsBeforeComplete = built == resultsBeforeComplete // results of a job are taken before they are complete
	SkippedAsDone         = built == skippedAsDone         // a skipped operation counts as done
	EmptyListOnError      = built == emptyListOnError      // a page that fails is an empty one
	PageTwoIgnored        = built == pageTwoIgnored        // a list ends with its first page
	NullBudgetZero        = built == nullBudgetZero        // an amount that is cleared is sent as 0
	DailyAsLifetime       = built == dailyAsLifetime       // a daily budget is sent as a lifetime budget
	ArchivedTwinAdopted   = built == archivedTwinAdopted   // what is archived is found by its name
	ActivateUnread        = built == activateUnread        // a tree is activated before it is read back
	IncreasesFirst        = built == increasesFirst        // increases go before decreases
	ListDecides           = built == listDecides           // what a list does not show yet was never created
	PartialSources        = built == partialSources        // the files that could be read are the whole set
	// whatever the lock file says counts as held, and nothing else does
	LockByText         = built == lockByText
	StalePlan          = built == stalePlan          // a plan may be of any age
	RetryAfterIgnored  = built == retryAfterIgnored  // a Retry-After is not heard
	ConflictRetried    = built == conflictRetried    // a conflict is sent again at once
	FloatMoney         = built == floatMoney         // amounts are read as floats
	RedactionMissing   = built == redactionMissing   // one error shows the key
	ForeignPauseUndone = built == foreignPauseUndone // a pause by somebody else is undone
	ShareOnly          = built == shareOnly          // a limit on archives knows shares only
	// each plan is measured by itself, however many there were today
	CommitsApart = built == commitsApart
)
