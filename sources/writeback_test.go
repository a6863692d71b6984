package sources_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/marked"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// written is a project with one workbook, read once.
type written struct {
	dir     string
	project config.Project
	source  sources.Source
}

func writtenProject(t *testing.T, content []byte) written {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "ads"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "ads", "q4.xlsx"), content, 0o640))
	must(t, os.Chmod(filepath.Join(dir, "ads", "q4.xlsx"), 0o640))
	p, problems := config.ReadProject(dir)
	wantProblems(t, problems)
	sum := sha256.Sum256(content)
	return written{dir: dir, project: p, source: sources.Source{File: "ads/q4.xlsx", Hash: hex.EncodeToString(sum[:])}}
}

func (w written) name() string { return filepath.Join(w.dir, "ads", "q4.xlsx") }

// someTime is when former files are kept.
var someTime = time.Date(2026, 11, 24, 18, 30, 0, 0, time.UTC)

func (w written) back(outcomes []marked.RowOutcome) (bool, error) {
	kept, err := marked.WriteBack(context.Background(), w.project,
		kinds.All(), w.source, marked.Results{Rows: outcomes, At: someTime})
	return kept != "", err
}

func outcomeAt(sheet string, row int, address, result, message, id string) marked.RowOutcome {
	a, _ := resource.ParseAddress(address)
	return marked.RowOutcome{
		Address: a, Position: diag.Cell("ads/q4.xlsx", sheet, row, 0), Result: result, Message: message, ID: id,
	}
}

var someOutcomes = []marked.RowOutcome{
	outcomeAt("Campaigns", 2, "campaign/spring", "created", "", "cmpn_1"),
	outcomeAt("Ad groups", 2, "ad_group/spring/runners", "failed", "=bid is 1.25; want 0.10 or more", ""),
	{Address: resource.Address{Kind: "ad", Key: "x"}, Position: inCell("Campaigns", 2, 0), Result: "of another file"},
}

// changedCells returns the cells that differ, as "sheet!cell: before → after".
func changedCells(t *testing.T, before, after []byte) map[string]string {
	t.Helper()
	a, b := opened(t, before), opened(t, after)
	changed := map[string]string{}
	for _, sheet := range a.GetSheetList() {
		for row := 1; row <= 12; row++ {
			for column := 1; column <= 16; column++ {
				cell, err := excelize.CoordinatesToCellName(column, row)
				must(t, err)
				was, err := a.GetCellValue(sheet, cell)
				must(t, err)
				is, err := b.GetCellValue(sheet, cell)
				must(t, err)
				if was != is {
					changed[sheet+"!"+cell] = was + " → " + is
				}
			}
		}
	}
	return changed
}

// A row of which there is nothing to say keeps what was said, unless that had a message, and a sheet without results
// gets no columns for them.
func TestFilledLeavesWhatAnEarlierRunSaid(t *testing.T) {
	groups := sheetOf{name: "Ad groups", rows: [][]any{
		{"Campaign", "Ad group", "Max bid (USD)", "Result", "Message", "ID"},
		{"Spring launch", "Runners", 1.25, "created", "", ""},
		{"Spring launch", "Walkers", 1.25, "failed", "it was refused", "adgrp_8"},
		{"Spring launch", "Hikers", 1.25, "created", "", "adgrp_9"},
	}}
	original := bookOf(t, campaignsSheet, groups)
	w := writtenProject(t, original)
	outcomes := []marked.RowOutcome{
		outcomeAt("Campaigns", 2, "campaign/spring", "no change", "", ""),
		outcomeAt("Ad groups", 2, "ad_group/spring/runners", "no change", "", "adgrp_7"),
		outcomeAt("Ad groups", 3, "ad_group/spring/walkers", "no change", "", "adgrp_8"),
		outcomeAt("Ad groups", 4, "ad_group/spring/hikers", "updated", "", "adgrp_9"),
	}
	filled, err := marked.Filled(w.project, kinds.All(), w.source, outcomes)
	must(t, err)
	want := map[string]string{
		"Ad groups!F2": " → adgrp_7", "Ad groups!D3": "failed → no change", "Ad groups!E3": "it was refused → ",
		"Ad groups!D4": "created → updated",
	}
	if d := cmp.Diff(want, changedCells(t, original, filled)); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
	if content, err := os.ReadFile(w.name()); err != nil || !bytes.Equal(content, original) {
		t.Errorf("the file is changed, %v", err)
	}
	if filled, err = marked.Filled(w.project, kinds.All(), w.source, outcomes[:1]); filled != nil || err != nil {
		t.Errorf("%d bytes, %v; want nothing to change", len(filled), err)
	}
}

func TestWriteBackFillsResultsKeysAndIDsAndNothingElse(t *testing.T) {
	groups := sheetOf{name: "Ad groups", rows: [][]any{
		{"Message", "Campaign", "Ad group", "Max bid (USD)", "Result", "ID", "Key", "# mine"},
		{"old", "Spring launch", "Runners", 1.25, "created", "adgrp_7", "", "kept"},
		{"old", "Spring launch", "Walkers", 1.25, "created", "", "", "kept"},
	}}
	original := bookOf(t, campaignsSheet, groups)
	w := writtenProject(t, original)
	changed, err := w.back(someOutcomes)
	must(t, err)
	content, err := os.ReadFile(w.name())
	must(t, err)
	want := map[string]string{
		"Campaigns!H1": " → Result", "Campaigns!I1": " → Message", "Campaigns!H2": " → created",
		"Ad groups!A2": "old → =bid is 1.25; want 0.10 or more",
		"Ad groups!E2": "created → failed", "Ad groups!G2": " → runners",
	}
	if d := cmp.Diff(want, changedCells(t, original, content)); d != "" || !changed {
		t.Errorf("changed = %v; cells (-want +got):\n%s", changed, d)
	}
	if about, err := os.Stat(w.name()); err != nil || about.Mode().Perm() != 0o640 {
		t.Errorf("file has mode %v, %v; want 0640 as before", about.Mode(), err)
	}
	if former, err := os.ReadFile(filepath.Join(w.dir, "ads", "q4 (before 2026-11-24 1830).xlsx")); err != nil ||
		!bytes.Equal(former, original) {
		t.Errorf("the former workbook is kept as %d bytes, %v; want what was there", len(former), err)
	}
	if entries, _ := os.ReadDir(filepath.Join(w.dir, "ads")); len(entries) != 2 {
		t.Errorf("folder holds %v; want the workbook and the former one", entries)
	}
	if a, b := snapshotText(t, loadWorkbook(t, original).Snapshot),
		snapshotText(t, loadWorkbook(t, content).Snapshot); a != b {
		t.Errorf("after the write-back the files say\n%s\nwant\n%s", b, a)
	}
}

func TestTheSameResultsAgainWriteNothing(t *testing.T) {
	w := writtenProject(t, bookOf(t, campaignsSheet, adGroupsSheet))
	_, err := w.back(someOutcomes)
	must(t, err)
	content, err := os.ReadFile(w.name())
	must(t, err)
	sum := sha256.Sum256(content)
	w.source.Hash = hex.EncodeToString(sum[:])
	if changed, err := w.back(someOutcomes); changed || err != nil {
		t.Errorf("the second WriteBack = %v, %v; want nothing to change", changed, err)
	}
}

func TestWriteBackRefusesWhatIsNotTheFileThatWasRead(t *testing.T) {
	original := bookOf(t, campaignsSheet, adGroupsSheet)
	for _, c := range []struct {
		name    string
		arrange func(w *written)
		want    string
	}{
		{"open in Excel", func(w *written) {
			must(t, os.WriteFile(filepath.Join(w.dir, "ads", "~$q4.xlsx"), nil, 0o600))
		}, "file is open in an editor (~$q4.xlsx is there)"},
		{"open in LibreOffice", func(w *written) {
			must(t, os.WriteFile(filepath.Join(w.dir, "ads", ".~lock.q4.xlsx#"), nil, 0o600))
		}, "file is open in an editor (.~lock.q4.xlsx# is there)"},
		{"saved since, and has problems", func(w *written) {
			must(t, os.WriteFile(w.name(),
				bookOf(t, campaignsSheet, sheetOf{name: "Ad groups", rows: [][]any{{"Ad group"}, {"Runners"}}}), 0o600))
		}, "file was saved since it was read, and has problems now"},
		{"a link", func(w *written) {
			must(t, os.Rename(w.name(), w.name()+".real"))
			must(t, os.Symlink("q4.xlsx.real", w.name()))
		}, "symbolic link"},
		{"gone", func(w *written) { must(t, os.Remove(w.name())) }, "file is gone"},
		{"no type that takes results", func(w *written) { w.source.File = "ads/q4.yaml" },
			`results are not written into files named ".yaml"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := writtenProject(t, original)
			c.arrange(&w)
			before, _ := os.ReadFile(w.name())
			_, err := w.back(someOutcomes)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("WriteBack = %v; want %q", err, c.want)
			}
			if content, err := os.ReadFile(w.name()); err == nil && !bytes.Equal(content, before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWriteBackRefusesAFormulaWhereAResultBelongs(t *testing.T) {
	original := bookWith(t, func(f *excelize.File) {
		must(t, f.SetCellStr("Campaigns", "H1", "Result"))
		must(t, f.SetCellFormula("Campaigns", "H2", "D2*30"))
	}, campaignsSheet, adGroupsSheet)
	_, err := writtenProject(t, original).back(someOutcomes)
	if want := `sheet "Campaigns": cell H2 holds a formula where a result belongs`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("WriteBack = %v; want %q", err, want)
	}
}

func TestWriteBackIntoCSVKeepsItsForm(t *testing.T) {
	for _, c := range []struct{ name, file, before, want string }{
		{"semicolons, CRLF, a mark, a row that is left out and has no line break", "Campaigns.csv",
			"\xef\xbb\xbfCampaign;Status;Bidding;Daily budget (USD);Countries;Key;ID;Include\r\n" +
				"\"Spring; launch\";paused;clicks;50;US, CA;;;\r\nOther;paused;clicks;50;US;;;no",
			"\xef\xbb\xbfCampaign;Status;Bidding;Daily budget " +
				"(USD);Countries;Key;ID;Include;Result;Message\r\n\"Spring; launch\";paused;clicks;50;US, " +
				"CA;spring;\"=\"\"0012\"\"\";;failed;\"'=too low; want more\"\r\nOther;paused;clicks;50;US;;;no;;"},
		{"rows of several kinds", "all.csv",
			"Kind,Campaign,Status,Bidding,Daily budget " +
				"(USD),Countries,Key,Result\ncampaign,Spring launch,paused,clicks,50,US,mine,old\n",
			"Kind,Campaign,Status,Bidding,Daily budget (USD),Countries,Key,Result,Message\n" +
				"campaign,Spring launch,paused,clicks,50,US,mine,failed,'=too low; want more\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.before), 0o600))
			p, problems := config.ReadProject(dir)
			wantProblems(t, problems)
			was := sources.Load(t.Context(), p, kinds.All())
			wantProblems(t, was.Problems)
			address, _ := resource.ParseAddress("campaign/spring")
			outcomes := []marked.RowOutcome{{Address: address,
				Position: was.Snapshot.Get(was.Snapshot.Addresses()[0]).Position,
				Result:   "failed", Message: "=too low; want more", ID: "0012"}}
			kept, err := marked.WriteBack(t.Context(),
				p, kinds.All(), was.Sources[0], marked.Results{Rows: outcomes, At: someTime})
			must(t, err)
			got, err := os.ReadFile(filepath.Join(dir, c.file))
			must(t, err)
			if d := cmp.Diff(c.want, string(got)); d != "" ||
				kept != strings.Replace(c.file, ".csv", " (before 2026-11-24 1830).csv", 1) {
				t.Errorf("kept = %q; file (-want +got):\n%s", kept, d)
			}
			if former, err := os.ReadFile(filepath.Join(dir, kept)); err != nil || string(former) != c.before {
				t.Errorf("the former file is %q, %v; want what was there", former, err)
			}
			wantProblems(t, sources.Load(t.Context(), p, kinds.All()).Problems)
		})
	}
}
