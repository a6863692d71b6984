// Package hooks has the commands that make a git repository know adsync: adsync hooks install, uninstall and run.
//
// Installing writes the repository's own configuration, its .gitattributes and a pre-commit hook, and replaces nothing
// that somebody else wrote. Running reads what is staged, and never the files of the work tree that git has.
package hooks
