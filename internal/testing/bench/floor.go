package bench

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite" // the engine of the state
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Floors are what nothing can be read or written without, by name, each over
// files: what the libraries need for the same bytes, and nothing else. A
// benchmark runs them in processes of their own.
var Floors = map[string]func(paths ...string) error{
	"yaml-nodes":   each(nodes),
	"rows":         each(rows),
	"csv-records":  each(records),
	"json-pages":   each(pages),
	"sqlite-write": each(write),
	"sqlite-load":  each(load),
}

// Timed are floors that need something before: they give what is to be measured.
var Timed = map[string]func(path string) (func() error, error){"stream": Stream}

func each(one func(path string) error) func(...string) error {
	return func(paths ...string) error {
		for _, path := range paths {
			if err := one(path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	}
}

// nodes reads YAML as nodes, which know positions and no types.
func nodes(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var node yaml.Node
		if err := decoder.Decode(&node); err != nil {
			return unlessEnd(err)
		}
	}
}

func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// rows reads every cell of a workbook.
func rows(path string) error {
	return everyRow(path, func(string, []string) {})
}

func everyRow(path string, row func(sheet string, cells []string)) error {
	f, err := excelize.OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, sheet := range f.GetSheetList() {
		rows, err := f.Rows(sheet)
		if err != nil {
			return err
		}
		for rows.Next() {
			cells, err := rows.Columns()
			if err != nil {
				return err
			}
			row(sheet, cells)
		}
		if err := errors.Join(rows.Error(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Stream gives a writer of the cells that stand in a workbook.
func Stream(path string) (func() error, error) {
	var sheets []string
	cells := map[string][][]any{}
	err := everyRow(path, func(sheet string, row []string) {
		if cells[sheet] == nil {
			sheets = append(sheets, sheet)
		}
		line := make([]any, len(row))
		for i, text := range row {
			if text != "" { // a blank cell is not written
				line[i] = text
			}
		}
		cells[sheet] = append(cells[sheet], line)
	})
	return func() error { return stream(sheets, cells) }, err
}

func stream(sheets []string, cells map[string][][]any) error {
	f := excelize.NewFile()
	defer f.Close()
	for _, sheet := range sheets {
		if _, err := f.NewSheet(sheet); err != nil {
			return err
		}
		stream, err := f.NewStreamWriter(sheet)
		if err != nil {
			return err
		}
		for i, row := range cells[sheet] {
			if err := stream.SetRow(fmt.Sprintf("A%d", i+1), row); err != nil {
				return err
			}
		}
		if err := stream.Flush(); err != nil {
			return err
		}
	}
	return f.Write(io.Discard)
}

func records(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = csv.NewReader(file).ReadAll()
	return err
}

// pages reads a file of answers of the service, one after the other.
func pages(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	for {
		var page any
		if err := decoder.Decode(&page); err != nil {
			return unlessEnd(err)
		}
	}
}

// write records each line of a file, a hundred in a transaction that is synced.
func write(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	db, err := open(path + ".db")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"); err != nil {
		return err
	}
	lines := bytes.Split(content, []byte("\n"))
	for from := 0; from < len(lines); from += 100 {
		if err := upsert(db, from, lines[from:min(from+100, len(lines))]); err != nil {
			return err
		}
	}
	return nil
}

func upsert(db *sql.DB, from int, lines [][]byte) error {
	t, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }() // after a commit there is nothing to take back
	put, err := t.Prepare("INSERT INTO record VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
	if err != nil {
		return err
	}
	for i, line := range lines {
		if _, err := put.Exec(fmt.Sprintf("ad/campaign-%06d", from+i), line); err != nil {
			return err
		}
	}
	return t.Commit()
}

// load reads what write has written.
func load(path string) error {
	db, err := open(path + ".db")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query("SELECT key, value FROM record")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
	}
	return rows.Err()
}

func open(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
}
