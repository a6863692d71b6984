// Package xlsx reads what a workbook stores: its parts, sheets, cells, styles
// and pictures, below any meaning they have for an account.
//
// It refuses whatever does not add up: a member that is cut or fails its
// checksum, XML that is not whole, rows that do not ascend, a shared text or
// style that is not there. It never gives what a cell shows, only what it
// stores, and it runs, fetches and computes nothing.
//
// It also changes single cells of a workbook that exists (Rewrite), puts sheets into it
// (Changes) or into a copy (Copy), and leaves all else to the program that wrote it.
//
// Its invariant is that a workbook is read whole or not at all: no damage makes
// it shorter without an error (formats.md section 3, "Integrity first"), and
// what it changed has been read back.
//
// Reading: parts.go opens the archive, book.go the workbook, sheet.go and cell.go rows and
// cells, style.go number formats, drawing.go and picture.go images. Changing: edit.go (Rewrite)
// first, then edit_package.go, edit_sheet.go, edit_cell.go; edit_add.go and edit_styles.go put
// sheets in, edit_copy.go and edit_notes.go make what a copy has beside cells, edit_lower.go moves
// what belongs to rows that move; edit_check.go says which cells cannot be changed, and reads back.
package xlsx
