package members

// Reason is why an identifier was left out. It is a clause that follows "lines":
// "3 lines hold no e-mail address".
type Reason string

// The reasons.
const (
	NoEmail      Reason = "hold no e-mail address"
	NamedEmail   Reason = "hold more than an e-mail address, such as a name or angle brackets"
	NoPhone      Reason = "hold no telephone number"
	NoCountry    Reason = "hold a telephone number without + and country code"
	Trunk        Reason = "hold a telephone number with a zero in brackets, which is not dialled from abroad"
	Extension    Reason = "hold a telephone number with an extension"
	NumberCell   Reason = "hold a number where text is wanted: a spreadsheet takes + and zeros off"
	FormulaCell  Reason = "hold a formula"
	ErrorCell    Reason = "hold an error or a value that is no text"
	NoHash       Reason = "hold no SHA-256 of 64 hex digits"
	OtherHash    Reason = "hold a hash of another sort, such as MD5, SHA-1 or base64"
	HashOfNone   Reason = "hold the SHA-256 of nothing, which a blank cell was hashed to"
	SeveralCells Reason = "hold more than one value"
	HashGiven    Reason = "hold a hash where the plain identifier is said to be, so that it would be hashed twice"
	PlainGiven   Reason = "hold a plain identifier where a hash is said to be"
)

// Misread reports whether the file is not what its identifier says: nothing of it is
// to be used.
func (r Reason) Misread() bool { return r == HashGiven || r == PlainGiven }
