package ads

import _ "embed" // the page

// Template defines "ads", the page of a View.
//
//go:embed page.html
var Template string
