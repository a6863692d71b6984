// Package mutants tests the tests: it puts mistakes that adsync must not make, each
// alone, into a copy of the code, and wants the test that is named for the mistake to
// fail. docs/develop/faults.md lists them.
//
// A mistake is a file of testdata: what it is in a line, then what the code says (was)
// and what it says with the mistake (becomes), as often as the mistake needs, and
// optionally a file of its own beside the changed one (added.go, without its package
// clause). What the code says is looked for in the whole program, so that a mistake
// follows code that moves to another file, and must be there exactly once: a mistake
// whose place is gone fails the test, and is mended or taken out by hand.
//
// Its one invariant: no mistake is written into the tree; the go command gets it as an
// overlay.
package mutants
