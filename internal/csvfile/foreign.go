package csvfile

import (
	"bytes"
	"strings"

	"adsync/internal/diag"
)

// binaries are other formats by their first bytes.
var binaries = []struct{ start, message, hint string }{
	{"PK\x03\x04", "file is a workbook (.xlsx) or another zip archive under the name of a CSV; want CSV text",
		"give it the name .xlsx, or save it as CSV UTF-8"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file is an old workbook (.xls) under the name of a CSV; want CSV text",
		"save it as .xlsx or as CSV UTF-8"},
	{"\x1f\x8b", "file is compressed with gzip; want CSV text", "unpack it"},
	{"%PDF-", "file is a PDF; want CSV text", ""},
	{"\x89PNG", "file is a picture; want CSV text", ""},
	{"\xff\xd8\xff", "file is a picture; want CSV text", ""},
	{"SQLite format", "file is a database; want CSV text", ""},
}

// texts are other formats by the first letters of their text.
var texts = []struct{ start, message, hint string }{
	{"version https://git-lfs", "file is a Git LFS pointer, not the file itself; want the file fetched",
		"run git lfs pull"},
	{"<!doctype html", "file is a web page under the name of a CSV; want CSV text", "save it as CSV UTF-8"},
	{"<html", "file is a web page under the name of a CSV; want CSV text", "save it as CSV UTF-8"},
	{"<table", "file is a web page under the name of a CSV; want CSV text", "save it as CSV UTF-8"},
	{"<?xml", "file is XML under the name of a CSV; want CSV text", "save it as CSV UTF-8"},
	{`{\rtf`, "file is a text document (RTF) under the name of a CSV; want CSV text", "save it as CSV UTF-8"},
	{`{"`, "file is JSON under the name of a CSV; want CSV text", ""},
	{`[{`, "file is JSON under the name of a CSV; want CSV text", ""},
}

// foreign names what a file is by its first bytes where it is no CSV.
func foreign(content []byte) *Fault {
	if len(content) == 0 {
		return emptyFile()
	}
	for _, b := range binaries {
		if bytes.HasPrefix(content, []byte(b.start)) {
			return fault(diag.Unreadable, 0, 0, b.hint, "%s", b.message)
		}
	}
	head := bytes.TrimPrefix(content[:min(len(content), 512)], markUTF8)
	text := strings.ToLower(strings.TrimLeft(string(head), " \t\r\n"))
	for _, t := range texts {
		if strings.HasPrefix(text, t.start) {
			return fault(diag.Unreadable, 0, 0, t.hint, "%s", t.message)
		}
	}
	return nil
}
