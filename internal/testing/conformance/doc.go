// Package conformance is the interface of the service as a table of rows (rows_*.go) that hold a service to every
// rule and endpoint of package rules. A row says what is there, what is asked, and what must come back. The package
// talks HTTP only and knows nothing of the emulator but its /_emulator addresses; rows that use those are run against
// an emulator alone. Its invariant: every rule has a row, or says why no request can show it.
//
// Open row.go and want.go first (what a row and its answer are), then run.go. holds.go says
// which row holds which rule, coverage.go which rule has none.
//
// # To add a row
//
// A Row in the rows_*.go of its part: the ids of the rules it is about, a name
// that says the situation, steps that lead there, the request, the answer.
// Texts may name what steps before have saved: {campaign}, and as a number
// "#{revision}"; {day+1} is tomorrow in the account's time zone, {now} and
// {now_ms} are Unix times, {now-60} a minute ago, {n} the turn of a repetition.
//
// # To run it against a service
//
//	go test ./internal/testing/conformance -conformance.url https://…/v1 -conformance.key sk-… \
//		[-conformance.mutate] [-conformance.account]
//
// Without -conformance.mutate only rows that read are run. With it campaigns,
// ad groups and ads are made, and each campaign is archived afterwards. With
// -conformance.account rows may also change the account itself: its status,
// brand, keys and spend limits. Some rows activate ads. Rows that are Alone need
// an account in which nothing was made before, and are run against emulators only.
package conformance
