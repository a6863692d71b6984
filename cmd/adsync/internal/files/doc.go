// Package files holds the commands whose subject is files: init, validate, fmt, fix,
// convert, diff, merge, template, schema, export and import.
//
// Each command has a file of its own. Those that read the account to write files
// (export, import) change nothing at the service.
package files
