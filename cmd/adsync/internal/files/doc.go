// Package files holds the commands whose subject is files: init, validate, fmt, fix,
// convert, diff, merge, template, schema, export and import.
//
// Each command has a file of its own. Those that read the account to write files
// (export, import) change nothing at the service.
//
// Besides a file a command: export.go asks for the account and exportcsv.go and exportyaml.go
// lay it out, destination.go says where imported files go, update.go writes into files that
// exist, watch.go validates at each save.
package files
