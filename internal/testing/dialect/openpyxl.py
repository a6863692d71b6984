"""Writes the sheets on standard input with openpyxl to the path given."""
import datetime
import json
import sys

import openpyxl
from openpyxl.comments import Comment
from openpyxl.styles import Font

book = openpyxl.Workbook()
book.remove(book.active)
for described in json.load(sys.stdin):
    sheet = book.create_sheet(described["Name"])
    for row, values in enumerate(described["Rows"], 1):
        for column, value in enumerate(values, 1):
            if value is None:
                continue
            cell = sheet.cell(row, column)
            if isinstance(value, str):
                cell.value = value
                cell.data_type = "s"  # a text, also where it begins with =
            elif "day" in value:
                cell.value = datetime.date.fromisoformat(value["day"])
            else:
                cell.value = float(value["number"])
                cell.number_format = "#,##0.00 [$USD]"
    sheet["A1"].comment = Comment("what it is", "Ann")
    sheet["A1"].font = Font(bold=True)
    sheet.freeze_panes = "A2"
book["Ads"]["G2"].hyperlink = "https://elsewhere.example/"
book["Ads"]["G2"].value = "https://shop.example/?a=1&b=2"
book.save(sys.argv[1])
