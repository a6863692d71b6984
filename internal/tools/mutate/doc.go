// Command mutate measures what the tests of a package notice: it makes many small changes
// to some of its files, a mutant each, and runs the tests that reach the place with
// one mutant switched on at a time. A mutant that fails no test has survived.
//
// All mutants are built into one test binary by an overlay, so that the package is
// compiled once and no file of the repository is touched. A mutant that runs into
// its limit of processor time, ten times what the tests take without it, counts as
// found. What no test reaches counts as survived.
package main
