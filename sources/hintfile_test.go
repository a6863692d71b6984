package sources_test

import (
	"bytes"
	"fmt"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
)

const runnersHints = "\xef\xbb\xbf# for runners\r\nlong runs\r\n\r\n  short runs \r\n#shoes\r\npeople who run, daily"

func hintsOf(t *testing.T, d sources.Desired, address, attribute string) []string {
	t.Helper()
	v := valueOf(t, d, address, attribute)
	var lines []string
	for i, item := range v.Items() {
		lines = append(lines, fmt.Sprintf("%s %s", v.ItemPosition(i), item))
	}
	return lines
}

// A cell names a file of hints as YAML does, from the folder of the workbook.
func TestHintFilesInAWorkbook(t *testing.T) {
	book := bookOf(t,
		sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}}},
		sheetOf{name: "Ad groups", rows: [][]any{
			{"Campaign", "Ad group", "Key", "Context hints", "Exclusion hints", "Hint lists"},
			{"Spring", "Runners", "a", "people who walk\nfile: hints/runners.txt\nFILE:hints/one.txt",
				"file: hints/one.txt", "more"},
			{"Spring", "Walkers", "b", `["file: hints/runners.txt", "a sentence"]`},
			{"Spring", "Hikers", "c", nil, nil, "more"},
		}},
		sheetOf{name: "Hint lists", rows: [][]any{{"more"}, {"a list's own"}, {"file: hints/one.txt"}}},
	)
	d := wantClean(t, load(t, folder(t, map[string]string{
		"ads/q4.xlsx": string(book), "ads/hints/runners.txt": runnersHints, "ads/hints/one.txt": "one\n",
	})))
	for _, row := range []struct {
		address, attribute string
		want               []string
	}{
		{"ad_group/spring/a", "context_hints", []string{
			"ads/q4.xlsx:Ad groups!D2 people who walk", "ads/hints/runners.txt:2:1 long runs",
			"ads/hints/runners.txt:4:1 short runs", "ads/hints/runners.txt:6:1 people who run, daily",
			"ads/hints/one.txt:1:1 one", "ads/q4.xlsx:Hint lists!A2 a list's own",
		}},
		{"ad_group/spring/a", "exclusion_hints", []string{"ads/hints/one.txt:1:1 one"}},
		{"ad_group/spring/b", "context_hints",
			[]string{"ads/q4.xlsx:Ad groups!D3 file: hints/runners.txt", "ads/q4.xlsx:Ad groups!D3 a sentence"}},
		{"ad_group/spring/c", "context_hints",
			[]string{"ads/q4.xlsx:Hint lists!A2 a list's own", "ads/hints/one.txt:1:1 one"}},
	} {
		got := hintsOf(t, d, row.address, row.attribute)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", row.attribute, row.address, diff)
		}
	}
}

// A problem of a hint stands at its line, one of the file where it is named.
func TestHintFilesThatAreWrong(t *testing.T) {
	many := numbered(2001, "hint %d\n")
	for _, row := range []struct{ name, content, want string }{
		{"too many", "# all of them\n" + many,
			"hints/runners.txt:2002:1: context_hints has 2001 entries; want at most 2000 (ADS1008)"},
		{"none", "# nothing\n\n \r\n", `file "hints/runners.txt" holds no hint; want one a line (ADS1015)`},
		{"nothing at all", "", `file "hints/runners.txt" holds no hint`},
		{"UTF-16", "\xff\xfea\x00\n\x00", "hints/runners.txt: file is UTF-16 or binary; want UTF-8 text"},
		{"bytes that are not UTF-8", "one\ntw\xff\n", "hints/runners.txt:2: byte 0xff is not UTF-8"},
		{"a merge gone wrong", "one\n<<<<<<< HEAD\n", "hints/runners.txt:2:1: file has a mark of an unfinished merge"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\n",
			"hints/runners.txt: file is a Git LFS pointer"},
		{"a hidden character", "one\ntwo\u200bthree\n",
			"hints/runners.txt:2:1: warning: context_hints holds the character U+200B"},
	} {
		t.Run(row.name, func(t *testing.T) {
			yaml := springCampaign + "ad_groups:\n  - name: Runners\n    context_hints: [{file: hints/runners.txt}]\n"
			wantProblem(t, load(t, folder(t, map[string]string{"all.yaml": yaml, "hints/runners.txt": row.content})),
				row.want)
			book := bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}}},
				sheetOf{name: "Ad groups", rows: [][]any{{"Campaign", "Ad group", "Context hints"},
					{"Spring", "Runners", "file: hints/runners.txt"}}})
			wantProblem(t, load(t, folder(t,
				map[string]string{"q4.xlsx": string(book), "hints/runners.txt": row.content})), row.want)
		})
	}
	for name, want := range map[string]string{
		"hints/runers.txt": `Ad groups!C2: file is "hints/runers.txt", which is not there`,
		"../secret.txt":    "want a path from this file's folder that stays in the project",
	} {
		book := bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}}},
			sheetOf{name: "Ad groups", rows: [][]any{{"Campaign", "Ad group", "Context hints"},
				{"Spring", "Runners", "file: " + name}}})
		wantProblem(t, load(t, folder(t, map[string]string{"q4.xlsx": string(book), "hints/runners.txt": "x\n"})), want)
	}
}

func TestLineBreaksOfEverySystem(t *testing.T) {
	for _, content := range []string{"one\ntwo\n", "one\r\ntwo\r\n", "one\rtwo\r", "\ufeffone\n\n\ntwo"} {
		yaml := springCampaign + "ad_groups:\n  - name: Runners\n    context_hints: [{file: hints.txt}]\n"
		d := wantClean(t, load(t, folder(t, map[string]string{"all.yaml": yaml, "hints.txt": content})))
		if diff := cmp.Diff([]string{"one", "two"},
			valueOf(t, d, "ad_group/spring/runners", "context_hints").Items()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

// A row of its own is one sentence: a file there would be sent as its name.
func TestAFileInARowOfHintsIsRefused(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{
		name: "Ad groups", rows: [][]any{{"Campaign", "Ad group"}, {"Spring", "Runners"}},
	},
		sheetOf{name: "Context hints",
			rows: [][]any{{"Campaign", "Ad group", "Hint"}, {"Spring", "Runners", "file: hints/runners.txt"}}}))
	wantProblems(t, got.Problems, "Context hints!C2: Hint names a file; want one sentence a row")
}

// A sentence that looks like a file's name is written so that it stays one.
func TestASentenceThatLooksLikeAFileIsWrittenAsASentence(t *testing.T) {
	yaml := springCampaign + "ad_groups:\n  - name: Runners\n    context_hints: ['file: sharing for teams', other]\n"
	d := wantClean(t, loadYAML(t, yaml))
	var book, again bytes.Buffer
	must(t, workbook.WriteWorkbook(&book, kinds.All(), d.Snapshot, dollars))
	must(t, workbook.WriteYAML(&again, kinds.All(), d.Snapshot, resource.Env{}))
	for name, content := range map[string]string{"all.xlsx": book.String(), "all.yaml": again.String()} {
		read := wantClean(t, load(t, folder(t, map[string]string{name: content})))
		if diff := cmp.Diff([]string{"file: sharing for teams", "other"},
			valueOf(t, read, "ad_group/spring/runners", "context_hints").Items()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
