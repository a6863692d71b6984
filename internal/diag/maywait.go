package diag

// What may wait: more wrong rows in a sheet are a shifted column and no slip.
const (
	fewWrong   = 2
	wrongShare = 10 // one row in so many
	mostWrong  = 20
)

// MayWait returns how many wrong rows of a sheet, or of a kind in a file without sheets,
// may wait while the others go.
func MayWait(rows int) int { return min(max(fewWrong, rows/wrongShare), mostWrong) }
