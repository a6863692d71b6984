package plan

// Edited says who last changed a value in the files: the commit of its line or
// cell, where the files are in a git repository.
type Edited struct {
	Commit string `json:"commit"` // 40 hexadecimal digits; "" where it is not committed
	Author string `json:"author"` // the author's name, never the address
	At     int64  `json:"at"`     // Unix seconds
}

// Foreign says who changed a value at the service, as its audit log has it.
type Foreign struct {
	Actor string `json:"actor"`
	At    int64  `json:"at"` // Unix seconds
}
