package sources

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
)

// readers by the lower-case end of a file's name.
var readers = map[string]reader{
	".yaml": readYAML,
	".yml":  readYAML,
	".xlsx": readWorkbook,
	".csv":  readCSV,
	".tsv":  readCSV,
}

// readAll reads the files side by side and gives the results in their order.
// The bytes of a file are let go once it is read.
func readAll(ctx context.Context, files []file, in input) []result {
	results := make([]result, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				results[i] = readOne(ctx, files[i], in)
				files[i].content = nil
			}
		})
	}
	workers.Wait()
	return results
}

// readOne keeps what goes wrong in a reader, down to a panic, within its file.
func readOne(ctx context.Context, f file, in input) (r result) {
	if f.problem != nil {
		return result{problems: []diag.Problem{*f.problem}}
	}
	read := readers[strings.ToLower(path.Ext(f.name))]
	if what, known := otherWorkbooks[strings.ToLower(path.Ext(f.name))]; known {
		return failed(f.name, resource.Finding{
			Code: diag.Unreadable, Message: fmt.Sprintf("file is %s and cannot be read; want a workbook (.xlsx)", what),
			Hint: saveAsXLSX,
		})
	}
	if read == nil {
		return failed(f.name, resource.Finding{
			Code: diag.Unreadable, Message: "file is of no " +
				"format this version reads; want .yaml, .yml, .xlsx, .csv or .tsv",
		})
	}
	defer func() {
		if cause := recover(); cause != nil {
			r = failed(f.name, resource.Finding{
				Code: diag.Damaged, Message: fmt.Sprintf("file cannot "+
					"be read: the reader broke off (%v); want a file that is whole", cause),
			})
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.bounds.PerFile)
	defer cancel()
	r = read(ctx, f.name, f.content, in).closed(f.name, in.bounds)
	if !strings.EqualFold(path.Ext(f.name), ".xlsx") { // whose reader looks into its cells
		r.problems = append(r.problems, secretsIn(f.name, f.content)...)
	}
	return r
}
