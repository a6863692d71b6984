package campaigns

import _ "embed" // the page

// Template defines "figures", the page of a View.
//
//go:embed page.html
var Template string
