// Package office is the LibreOffice of a test process. It stays from the first file to the end of the process, for a
// start takes it four seconds.
//
// It refuses to look into what it saves. Its invariant: one file at a time, each with what LibreOffice said of it.
package office

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// CSV is the filter that opens comma-separated values in UTF-8. The others are what a file is saved as: AsCSV writes
// each cell as it is shown.
const (
	CSV       = "Text - txt - csv (StarCalc):44,34,76,1"
	AsCSV     = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false"
	AsCSVs    = AsCSV + ",-1" // a file for each sheet: FILE-SHEET.csv
	AsXLSX    = "xlsx:Calc MS Excel 2007 XML"
	AsPDF     = "pdf"
	AsFlatXML = "fods"
)

// Convert has LibreOffice open each file and save it in the folder.
func Convert(as, folder string, files ...string) error { return ConvertBy("", as, folder, files...) }

// ConvertBy opens them by a filter, such as CSV.
func ConvertBy(filter, as, folder string, files ...string) error {
	return asked(map[string]any{"convert": files, "by": filter, "as": as, "into": folder})
}

// Type has LibreOffice type a text into each cell of a sheet, as a person types it, and save the workbook as what it
// was.
func Type(file, sheet string, texts map[string]string) error {
	return asked(map[string]any{"type": texts, "sheet": sheet, "in": file})
}

//go:embed office.py
var server string

var running struct {
	sync.Mutex
	questions io.Writer
	answers   *bufio.Scanner
	said      bytes.Buffer // by it and its server: to read once the server has ended
	process   *exec.Cmd
}

// asked sends one question to the server, which is started for the first, and returns what it answers.
func asked(question map[string]any) error {
	r := &running
	r.Lock()
	defer r.Unlock()
	if r.process == nil {
		if err := start(); err != nil {
			return err
		}
	}
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	group := -r.process.Process.Pid
	hangs := time.AfterFunc(10*time.Minute, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	defer hangs.Stop()
	if _, err := r.questions.Write(append(line, '\n')); err == nil && r.answers.Scan() {
		var answer struct{ Error string }
		err := json.Unmarshal(r.answers.Bytes(), &answer)
		if answer.Error != "" {
			err = errors.New(answer.Error)
		}
		return err
	}
	ended := r.process.Wait()
	r.process = nil
	return fmt.Errorf("the server of LibreOffice ended: %v\n%s", ended, r.said.String())
}

// start starts the server. It ends with this process, whose end of the pipe closes.
func start() (err error) {
	r := &running
	p := exec.Command("/usr/bin/python3", "-c", server)
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // LibreOffice is in its group
	p.WaitDelay = time.Second                           // for what it started and left
	r.said.Reset()
	p.Stderr = &r.said
	if r.questions, err = p.StdinPipe(); err != nil {
		return err
	}
	answers, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	r.answers = bufio.NewScanner(answers)
	if err := p.Start(); err != nil {
		return err
	}
	r.process = p
	return nil
}
