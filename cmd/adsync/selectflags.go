package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"adsync/internal/diag"
	"adsync/plan"

	"github.com/spf13/cobra"
)

// selectFlags narrow a plan to a part of the account.
type selectFlags struct {
	target  []string
	exclude []string
}

func (f *selectFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.target, "target", nil, "plan only what this names: "+
		"a kind, an address, a glob such as campaign/spring-*/**, or @FILE with one of them a line (repeatable)")
	c.Flags().StringArrayVar(&f.exclude, "exclude", nil, "leave out what this names, as --target does (repeatable)")
}

// selection reads the patterns of both flags.
func (f *selectFlags) selection() (plan.Selection, error) {
	target, err := patternsOf("--target", f.target)
	if err != nil {
		return plan.Selection{}, err
	}
	exclude, err := patternsOf("--exclude", f.exclude)
	return plan.Selection{Target: target, Exclude: exclude}, err
}

func patternsOf(flag string, texts []string) ([]plan.Pattern, error) {
	var patterns []plan.Pattern
	for _, text := range texts {
		if file, ok := strings.CutPrefix(text, "@"); ok {
			listed, err := patternsIn(flag, file)
			if err != nil {
				return nil, err
			}
			patterns = append(patterns, listed...)
			continue
		}
		p, err := plan.ParsePattern(text, diag.Position{})
		if err != nil {
			return nil, configuration("%s: %v", flag, err)
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// patternsIn reads a file with a pattern a line. Blank lines, and what follows
// a # at the start of a line or after a space, say nothing.
func patternsIn(flag, file string) ([]plan.Pattern, error) {
	content, err := readPatterns(file)
	if err != nil {
		return nil, configuration("%s: %v", flag, err)
	}
	var patterns []plan.Pattern
	for i, line := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		text, _, _ := strings.Cut(" "+strings.ReplaceAll(line, "\t", " "), " #")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		at := diag.At(file, i+1, 0)
		p, err := plan.ParsePattern(text, at)
		if err != nil {
			return nil, configuration("%s: %s: %v", flag, at, err)
		}
		patterns = append(patterns, p)
	}
	if len(patterns) == 0 {
		return nil, configuration("%s: %s has no pattern; want one a line", flag, diag.Printable(file))
	}
	return patterns, nil
}

const maxPatternBytes = 1 << 20

// readPatterns reads a file of patterns up to a size that no list has: a device
// never ends.
func readPatterns(file string) ([]byte, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, maxPatternBytes+1))
	if err == nil && len(content) > maxPatternBytes {
		return nil, fmt.Errorf("%s is over 1 MiB; want a list of patterns, one a line", diag.Printable(file))
	}
	return content, err
}

// again gives the flags as a command that repeats them has them.
func (f *selectFlags) again() string {
	var parts strings.Builder
	for _, flag := range []struct {
		name   string
		values []string
	}{{"target", f.target}, {"exclude", f.exclude}} {
		for _, v := range flag.values {
			parts.WriteString(" --" + flag.name + " " + quoted(v))
		}
	}
	return parts.String()
}

// quoted keeps a shell from reading a glob as one of its own.
func quoted(word string) string {
	if !strings.ContainsAny(word, " *?[]\\'\"$&;|<>()#~`") {
		return diag.Printable(word)
	}
	return "'" + strings.ReplaceAll(diag.Printable(word), "'", `'\''`) + "'"
}
