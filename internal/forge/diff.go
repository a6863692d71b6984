package forge

import (
	"strconv"
	"strings"
)

// lines are those of a file that a diff shows.
type lines struct {
	before string      // its path on the other side
	at     map[int]int // the line on the other side, by that on the side of the head; 0 where that is new
}

// linesOf reads the hunks of one file of a unified diff.
func linesOf(before, patch string) lines {
	of := lines{before, map[int]int{}}
	var was, is, old, fresh int // where the next line is, and how many are left of the hunk
	for line := range strings.SplitSeq(patch, "\n") {
		switch {
		case old <= 0 && fresh <= 0:
			was, old, is, fresh = hunk(line)
		case strings.HasPrefix(line, "+"):
			of.at[is] = 0
			is, fresh = is+1, fresh-1
		case strings.HasPrefix(line, "-"):
			was, old = was+1, old-1
		case !strings.HasPrefix(line, `\`):
			of.at[is] = was
			was, is, old, fresh = was+1, is+1, old-1, fresh-1
		}
	}
	return of
}

// hunk reads the first line of a hunk, such as @@ -1,2 +3,4 @@; of any other all is 0.
func hunk(line string) (was, old, is, fresh int) {
	words := strings.Fields(line)
	if len(words) < 4 || words[0] != "@@" || words[3] != "@@" {
		return 0, 0, 0, 0
	}
	side := func(word, sign string) (at, count int) {
		first, rest, several := strings.Cut(strings.TrimPrefix(word, sign), ",")
		at, _ = strconv.Atoi(first)
		if count = 1; several {
			count, _ = strconv.Atoi(rest)
		}
		return at, count
	}
	was, old = side(words[1], "-")
	is, fresh = side(words[2], "+")
	return was, old, is, fresh
}

// filesOf reads a unified diff of many files, as git writes it, by their paths on the side of the head.
func filesOf(diff string) map[string]lines {
	all := map[string]lines{}
	for _, file := range strings.Split("\n"+diff, "\ndiff --git ")[1:] {
		head, hunks, _ := strings.Cut(file, "\n@@ ")
		var before, after string
		for line := range strings.SplitSeq(head, "\n") {
			if name, is := strings.CutPrefix(line, "--- "); is {
				before = pathOf(name)
			}
			if name, is := strings.CutPrefix(line, "+++ "); is {
				after = pathOf(name)
			}
		}
		if after != "" && hunks != "" {
			all[after] = linesOf(before, "@@ "+hunks)
		}
	}
	return all
}

// pathOf reads a path of a diff, behind a/ or b/; "" is none.
func pathOf(name string) string {
	name, _, _ = strings.Cut(name, "\t") // git ends a name that has blanks with one
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	_, path, _ := strings.Cut(name, "/")
	if name == "/dev/null" {
		return ""
	}
	return path
}
