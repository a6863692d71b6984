"""Writes the sheets on standard input with XlsxWriter to the path given."""
import datetime
import json
import sys

import xlsxwriter

book = xlsxwriter.Workbook(sys.argv[1], {"strings_to_formulas": False, "strings_to_urls": False})
day = book.add_format({"num_format": "d mmm yyyy"})
money = book.add_format({"num_format": '_-"$"* #,##0.00_-'})
bold = book.add_format({"bold": True})
italic = book.add_format({"italic": True})
for described in json.load(sys.stdin):
    sheet = book.add_worksheet(described["Name"])
    for row, values in enumerate(described["Rows"]):
        for column, value in enumerate(values):
            if value is None:
                sheet.write_blank(row, column, None, bold)
            elif value == "Spring launch":
                sheet.write_rich_string(row, column, bold, "Spring", italic, " launch")
            elif isinstance(value, str):
                sheet.write_string(row, column, value)
            elif "day" in value:
                sheet.write_datetime(row, column, datetime.datetime.fromisoformat(value["day"]), day)
            else:
                sheet.write_number(row, column, float(value["number"]), money)
    sheet.autofilter(0, 0, len(described["Rows"]) - 1, len(described["Rows"][0]) - 1)
    sheet.data_validation(1, 1, 50, 1, {"validate": "list", "source": ["active", "paused", "archived"], "error_type": "warning"})
book.close()
