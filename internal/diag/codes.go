package diag

// Code names a sort of problem. ADS1xxx are the user's files, ADS2xxx the
// service, ADS3xxx adsync's own state (design.md section 10).
type Code string

// Codes of problems in the user's files.
const (
	Unreadable      Code = "ADS1001" // file cannot be read, or is not what its name says
	Damaged         Code = "ADS1002" // file is cut or damaged
	Syntax          Code = "ADS1003" // the text does not parse
	BadMoney        Code = "ADS1004"
	UnknownKey      Code = "ADS1005" // key or header nobody knows
	Required        Code = "ADS1006" // a required attribute is missing
	BadChoice       Code = "ADS1007"
	TooLong         Code = "ADS1008" // or too short, or too many
	BadDate         Code = "ADS1009"
	BadURL          Code = "ADS1010"
	BadValue        Code = "ADS1011" // a value of the wrong form
	Duplicate       Code = "ADS1012" // the same address, key or name twice
	UnknownParent   Code = "ADS1013"
	Conflicting     Code = "ADS1014" // attributes that exclude or need each other
	BadFile         Code = "ADS1015" // a referenced file: image, hints
	HiddenCharacter Code = "ADS1016"
	BadProject      Code = "ADS1017" // adsync.yaml
	NoSources       Code = "ADS1018" // no file, or no resource in them
	FormulaNoValue  Code = "ADS1019"
	CellError       Code = "ADS1020"
	NotClearable    Code = "ADS1021"
	LooksLikeMicros Code = "ADS1022"
	IgnoredRows     Code = "ADS1023"
	AmbiguousName   Code = "ADS1024"
	MergedCell      Code = "ADS1025"
	Immutable       Code = "ADS1026"
	HiddenCells     Code = "ADS1027" // hidden rows, columns or sheets that are read
	StrayPicture    Code = "ADS1029" // a picture of a workbook that is no row's image, where one may be meant
	LeftOut         Code = "ADS1030" // lines of a members file that are not used
	ShownOtherwise  Code = "ADS1031" // a cell that shows something else than the amount it stores
	TooMany         Code = "ADS1032" // more of a kind than the account may have
	ForeignDomain   Code = "ADS1033" // a landing page at a domain the project does not list
	Overridden      Code = "ADS1034" // a tracking parameter that does not arrive as it is written
	NoImageFile     Code = "ADS1035" // an image named by its content, and no file has that content
	UnknownName     Code = "ADS1036" // a value that names what the files do not have, or have archived
	Unheard         Code = "ADS1037" // an approval where none is read
	Leaked          Code = "ADS1038" // what has the form of a credential, in a file that others read
	TooLarge        Code = "ADS1039" // larger than a bound, and whole
	ReadAs          Code = "ADS1040" // a header that is read as another
	ResultsCopy     Code = "ADS1041" // a copy with results where a source is wanted, or that somebody edited
	NearLimit       Code = "ADS1042" // more than nine tenths of what the service takes
	InDraft         Code = "ADS1043" // a workbook whose cell keeps it from being published
)

// Codes of problems with the service.
const (
	ServiceUnavailable Code = "ADS2001"
	Unauthorized       Code = "ADS2002"
	OperationFailed    Code = "ADS2003"
	OperationSkipped   Code = "ADS2004"
	OutcomeUnknown     Code = "ADS2005"
	WrongAccount       Code = "ADS2006"
	NotVerified        Code = "ADS2007"
	ServiceRefused     Code = "ADS2008"
	SharedOwner        Code = "ADS2009" // somebody else changes what these files manage
	RefusedBefore      Code = "ADS2010" // the service refused the very same before
	JobUnfinished      Code = "ADS2011" // a bulk job that does not end, or whose results never come whole
	KeyConflict        Code = "ADS2012" // the service holds another request under the same key
	ReadOneByOne       Code = "ADS2013" // a kind the service has no list of
	CreateConflict     Code = "ADS2014" // a create met a conflict, and the service does not say with what
	AccountPaused      Code = "ADS2015" // the ad account itself is paused
	ListedByParent     Code = "ADS2016" // a kind that takes minutes to list, one parent at a time
	TooFewPeople       Code = "ADS2017" // an audience that is too small for what it is named for
	CameLate           Code = "ADS2018" // what an adsync that is gone had sent came after what was sent since
)

// Codes of problems with adsync's own state.
const (
	Locked         Code = "ADS3001"
	StateDamaged   Code = "ADS3002"
	ForeignState   Code = "ADS3003"
	StalePlan      Code = "ADS3004"
	NeedsDecision  Code = "ADS3005"
	StateUnwritten Code = "ADS3006"
	DamagedPlan    Code = "ADS3007" // a saved plan that is cut, damaged, or none
	UnknownSeal    Code = "ADS3008" // a saved plan that was edited, or sealed with another key
	AllowsNothing  Code = "ADS3009" // an allowance that released nothing
	HistoryHeld    Code = "ADS3010" // history of the branch that was rewritten, and that nobody accepted
	CommittedState Code = "ADS3011" // adsync's own state, or a STOP, that comes with the files
	StateElsewhere Code = "ADS3012" // a state that was copied, or that is in the other of folder and database
)
