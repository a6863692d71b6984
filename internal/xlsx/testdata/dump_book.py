# Prints all that openpyxl sees of a workbook, a line a fact, so that two
# workbooks can be compared.
import sys
import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
for defined in book.defined_names.definedName:
    print("name", defined.name, defined.attr_text)
for sheet in book.worksheets:
    at = sheet.title
    print(at, "state", sheet.sheet_state, "freeze", sheet.freeze_panes, "filter", sheet.auto_filter.ref)
    print(at, "merged", sorted(str(m) for m in sheet.merged_cells.ranges))
    print(at, "charts", len(sheet._charts), "pictures", len(sheet._images), "tables", sorted((n, getattr(t, "ref", t)) for n, t in sheet.tables.items()))
    for check in sheet.data_validations.dataValidation:
        print(at, "validation", check.sqref, check.type, check.formula1)
    for area in sheet.conditional_formatting:
        print(at, "conditional", area.sqref, [(r.type, r.formula) for r in area.rules])
    for letter, width in sorted(sheet.column_dimensions.items()):
        print(at, "column", letter, width.width, width.hidden)
    for row in sheet.iter_rows():
        for cell in row:
            if cell.value is None and not cell.has_style:
                continue
            note = cell.comment.text if cell.comment else None
            looks = (cell.number_format, cell.font.b, cell.font.color and cell.font.color.rgb, cell.fill.fgColor.rgb, cell.alignment.wrap_text)
            print(at + "!" + cell.coordinate, repr(cell.value), cell.data_type, looks, repr(note))
