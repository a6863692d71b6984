package tree

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/yamlfile"
)

// readers by the lower-case end of a file's name.
var readers = map[string]draft.Reader{
	".yaml": yamlfile.Read,
	".yml":  yamlfile.Read,
	".xlsx": table.ReadWorkbook,
	".csv":  table.ReadCSV,
	".tsv":  table.ReadCSV,
}

// ReadAll reads the files side by side and gives the results in their order.
// The bytes of a file are let go once it is read.
func ReadAll(ctx context.Context, files []File, in draft.Input) []draft.Result {
	results := make([]draft.Result, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				results[i] = ReadOne(ctx, files[i], in)
				files[i].Content = nil
			}
		})
	}
	workers.Wait()
	return results
}

// ReadOne keeps what goes wrong in a reader, down to a panic, within its file.
func ReadOne(ctx context.Context, f File, in draft.Input) (r draft.Result) {
	if f.Problem != nil {
		return draft.Result{Problems: []diag.Problem{*f.Problem}}
	}
	read := readers[strings.ToLower(path.Ext(f.Name))]
	if what, known := OtherWorkbooks[strings.ToLower(path.Ext(f.Name))]; known {
		return draft.Failed(f.Name, resource.Finding{
			Code: diag.Unreadable, Message: fmt.Sprintf("file is %s and cannot be read; want a workbook (.xlsx)", what),
			Hint: saveAsXLSX,
		})
	}
	if read == nil {
		return draft.Failed(f.Name, resource.Finding{
			Code: diag.Unreadable, Message: "file is of no " +
				"format this version reads; want .yaml, .yml, .xlsx, .csv or .tsv",
		})
	}
	defer func() {
		if cause := recover(); cause != nil {
			r = draft.Failed(f.Name, resource.Finding{
				Code: diag.Damaged, Message: fmt.Sprintf("file cannot "+
					"be read: the reader broke off (%v); want a file that is whole", cause),
			})
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.Bounds.PerFile)
	defer cancel()
	r = read(ctx, f.Name, f.Content, in).Closed(f.Name, in.Bounds)
	if !strings.EqualFold(path.Ext(f.Name), ".xlsx") { // whose reader looks into its cells
		r.Problems = append(r.Problems, bounded.SecretsIn(f.Name, f.Content)...)
	}
	return r
}
