package members

// Reason is why an identifier was left out. It is a clause that follows "lines":
// "3 lines hold no e-mail address".
type Reason string

// The reasons.
const (
	noEmail       Reason = "hold no e-mail address"
	namedEmail    Reason = "hold more than an e-mail address, such as a name or angle brackets"
	noPhone       Reason = "hold no telephone number"
	noCountry     Reason = "hold a telephone number without + and country code"
	trunk         Reason = "hold a telephone number with a zero in brackets, which is not dialled from abroad"
	withExtension Reason = "hold a telephone number with an extension"
	numberCell    Reason = "hold a number where text is wanted: a spreadsheet takes + and zeros off"
	formulaCell   Reason = "hold a formula"
	errorCell     Reason = "hold an error or a value that is no text"
	noHash        Reason = "hold no SHA-256 of 64 hex digits"
	hashOther     Reason = "hold a hash of another sort, such as MD5, SHA-1 or base64"
	hashOfNone    Reason = "hold the SHA-256 of nothing, which a blank cell was hashed to"
	severalCells  Reason = "hold more than one value"
	hashGiven     Reason = "hold a hash where the plain identifier is said to be, so that it would be hashed twice"
	plainGiven    Reason = "hold a plain identifier where a hash is said to be"
)

// Misread reports whether the file is not what its identifier says: nothing of it is
// to be used.
func (r Reason) Misread() bool { return r == hashGiven || r == plainGiven }
