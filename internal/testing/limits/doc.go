// Package limits holds adsync and the emulator to the same limits, and makes docs/use/limits.md.
//
// Open limits_test.go: a row a limit, with a body below, at and above it for the service and a file for
// adsync. testdata/part8.txt is the table of the interface, part 8, word for word: each of its lines has a
// row here. Nothing but the numbers in that text says where a limit lies.
package limits
