package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/state"

	"github.com/spf13/cobra"
)

// Console is what a command reads and prints, and the flags every command has.
type Console struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Flags  Flags

	Command string            // the words of the subcommand, such as "adsync apply"
	line    *progressLine     // nil where nothing is shown
	OnNote  func(text string) // receives the notes of a quiet command; nil: nobody does
}

// Flags are those every command has.
type Flags struct {
	Output string
	Color  string
	Quiet  bool

	Operator string
}

// Note prints a line for people, which is never data.
func (c *Console) Note(format string, args ...any) {
	c.ClearLine()
	if c.OnNote != nil {
		c.OnNote(fmt.Sprintf(format, args...))
	}
	if !c.Flags.Quiet {
		fmt.Fprintf(c.Err, format+"\n", args...)
	}
}

// ClearLine takes the live line away, where there is one.
func (c *Console) ClearLine() { c.line.clear() }

// Outputs gives a command its -o flag and checks it before the command runs.
func (c *Console) Outputs(cmd *cobra.Command, formats ...string) {
	output := cmd.Flags().StringP("output", "o", formats[0], "output: "+diag.OrList(formats))
	Completes(cmd, "output", formats...)
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.Flags.Output = *output
		if !slices.Contains(formats, c.Flags.Output) {
			return Usage(cmd, fmt.Errorf("--output is %q; want %s", c.Flags.Output, diag.OrList(formats)))
		}
		return inner(cmd, args)
	}
}

// Colorful follows --color, then NO_COLOR, then whether a person looks.
func (c *Console) Colorful() bool {
	switch c.Flags.Color {
	case "always":
		return true
	case "never":
		return false
	}
	return c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb" && IsTerminal(c.Out)
}

// PrintJSON writes one document, indented, for people who read it and programs
// alike.
func (c *Console) PrintJSON(document any) error { return WriteJSON(c.Out, document) }

// WriteJSON prints a document with what a terminal would not show escaped.
func WriteJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(&VisibleLines{To: w})
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// FormatVersion stands in every JSON output.
const FormatVersion = 1

// VisibleLines escapes what a terminal would not show. Lines of plain characters
// pass as they are.
type VisibleLines struct {
	To   io.Writer
	line []byte // the last one, while its end has not come
}

func (v *VisibleLines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			v.line = append(v.line, rest...)
			break
		}
		line, rest = rest[:len(line)+1], after
		if len(v.line) > 0 {
			line = append(v.line, line...)
			v.line = line[:0]
		}
		if err := v.pass(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (v *VisibleLines) pass(line []byte) (err error) {
	if bytes.ContainsFunc(line, func(r rune) bool { return (r < ' ' || r > '~') && r != '\n' }) {
		line = []byte(planview.Visible(string(line)))
	}
	_, err = v.To.Write(line)
	return err
}

// Coded is an error as people read it, with the code of what is wrong with
// adsync's state where it is that.
func Coded(err error) string {
	if err == nil {
		return ""
	}
	if code := state.CodeOf(err); code != "" && err.Error() != "" {
		return err.Error() + " (" + string(code) + ")"
	}
	return err.Error()
}
