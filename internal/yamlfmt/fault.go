package yamlfmt

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"adsync/internal/pattern"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Fault is why a text is no YAML, in words for who wrote it. The parser's own words
// are for who wrote a parser, and it names the line of another cause.
type Fault struct {
	Line, Column int // from 1
	Message      string
	Hint         string
	Limit        bool // it is nested deeper than the parser follows
}

// FaultOf finds where a text that the parser refuses stops being YAML, and says
// why. The error is the parser's for the whole text.
func FaultOf(err error, content []byte) Fault {
	if f, found := unreadable(content); found {
		return f
	}
	content = Accepted(content)
	lines := strings.Split(breaks.Replace(strings.TrimPrefix(string(content), "\ufeff")), "\n")
	for _, d := range documentsOf(lines) {
		if parses(lines[d.from:d.to]) == nil {
			continue
		}
		wrong := firstWrong(lines[d.from:d.to])
		err = parses(lines[d.from : d.from+wrong+1])
		return faultLine{before: lines[d.from : d.from+wrong],
			number: d.from + wrong + 1, text: lines[d.from+wrong]}.explain(problemOf(err))
	}
	return faultLine{number: 1, text: lines[0]}.explain(problemOf(err))
}

// breaks makes each character that ends a line in YAML a newline, so that lines are
// counted as the parser counts them.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Accepted returns a text that says it is of YAML 1.2 as the parser takes it: nothing
// that is read here differs between the versions. All positions stay.
func Accepted(content []byte) []byte {
	if !bytes.Contains(content, []byte("%YAML 1.2")) {
		return content
	}
	lines := bytes.Split(bytes.Clone(content), []byte("\n"))
	begins := true // a document, so that a line may be a directive
	for i, line := range lines {
		text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		switch {
		case begins && bytes.HasPrefix(text, []byte("%YAML 1.2")):
			lines[i] = bytes.Replace(line, []byte("1.2"), []byte("1.1"), 1)
		case len(text) > 0 && text[0] != '#' && text[0] != '%':
			begins = string(text) == "..."
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

var parserWords = pattern.Of(`^yaml: (?:line \d+: )?(.*)`)

// problemOf is what the parser says, without the line.
func problemOf(err error) string {
	if m := parserWords.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return err.Error()
}

// part is a document by its lines.
type part struct{ from, to int }

// documentsOf cuts a text where a line begins with ---; the directives before it
// belong to it.
func documentsOf(lines []string) []part {
	var parts []part
	from := 0
	for i, line := range lines {
		if i == 0 || !marker.MatchString(line) {
			continue
		}
		cut := i
		for cut > from && strings.HasPrefix(lines[cut-1], "%") {
			cut--
		}
		if cut > from {
			parts = append(parts, part{from, cut})
			from = cut
		}
	}
	return append(parts, part{from, len(lines)})
}

var marker = pattern.Of(`^---(\s|$)`)

// parses returns the parser's error for some lines, nil where it takes them.
func parses(lines []string) error {
	decoder := yaml.NewDecoder(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// search looks for the line a document stops being YAML in.
type search struct {
	lines []string
	left  int // bytes that may still be parsed: who waits for the line of a huge text gets one before it
}

// mostParsed is what finding a line may cost.
const mostParsed = 32 << 20

func (s *search) takes(count int) bool {
	for _, line := range s.lines[:count] {
		s.left -= len(line) + 1
	}
	return s.left > 0 && parses(s.lines[:count]) == nil
}

// lookAhead is how many lines a value between quotes or brackets may take.
const lookAhead = 40

// firstWrong is the number of lines up to which the parser takes everything. It may
// refuse a beginning because that ends within a value: then it is tried a little
// further.
func firstWrong(lines []string) int {
	s := &search{lines, mostParsed}
	good := 0
	for further := good; ; good = further {
		good = s.lastTaken(good)
		further = 0
		for to := good + 2; to < min(good+lookAhead, len(lines)) && further == 0; to++ {
			if s.takes(to) {
				further = to
			}
		}
		if further == 0 {
			return good
		}
	}
}

func (s *search) lastTaken(good int) int {
	bad := len(s.lines)
	for good+1 < bad {
		if middle := (good + bad) / 2; s.takes(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good
}
