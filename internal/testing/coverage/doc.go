// Package coverage shows that a user of adsync reaches every endpoint of the service and
// all that a request may carry. What there is comes from the document that the
// emulator writes of its own routes (Inputs); how a user reaches it is said by hand (reached); that it is so is
// seen: a Watch notes what the scripts of
// cmd/adsync make adsync send. docs/develop/coverage.md is written from the three.
//
// Open first: reached.go for the words of a row, shown.txt for the script that shows it.
package coverage
