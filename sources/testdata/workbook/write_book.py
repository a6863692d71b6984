"""Writes the workbook of TestEveryProgramsWorkbookSaysTheSame with openpyxl, to the path given."""
import datetime
import sys

import openpyxl
from openpyxl.comments import Comment
from openpyxl.styles import Font

book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Campaigns"
sheet.append(["Campaign", "Status", "Bidding", "Daily budget (USD)", "Start date", "Countries", "Key", "Include"])
sheet.append(["Spring launch", "paused", "clicks", 50, datetime.date(2026, 12, 1), "US, CA", "spring", True])
sheet.append(["Zürich & <Söhne> 鞋", "active", "Views", 1234.5, datetime.datetime(2027, 1, 31), "Norway", "zh", None])
sheet["D2"].number_format = "#,##0.00 [$USD]"
sheet["A1"].comment = Comment("the name", "Ann")
sheet["A1"].font = Font(bold=True)
groups = book.create_sheet("Ad groups")
groups.append(["Campaign", "Ad group", "Status", "Max bid (USD)", "Context hints"])
groups.append(["Spring launch", "Runners", "active", 1.1, "people comparing shoes\npeople who run, daily"])
ads = book.create_sheet("Ads")
ads.append(["Campaign", "Ad group", "Ad", "Title", "Body", "Target URL", "Image"])
ads.append(["Spring launch", "Runners", "Hero A", " Shoes ", "=1+1 is a sum", "https://shop.example/?a=1&b=2", "images/hero-a.png"])
ads["E2"].data_type = "s"
ads["F2"].hyperlink = "https://elsewhere.example/"
ads["F2"].value = "https://shop.example/?a=1&b=2"
book.save(sys.argv[1])
