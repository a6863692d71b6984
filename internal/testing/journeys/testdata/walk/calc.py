"""calc.py PROFILE WORKBOOK SHEET CELL TEXT...: LibreOffice opens a workbook, has a text typed into each
cell as a person types it, and saves it as what it was."""

import os, subprocess, sys, time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.lang import DisposedException

profile, workbook, sheet, *typed = sys.argv[1:]
pipe = f"pipe,name=desk{os.getpid()};urp"
office = subprocess.Popen(
    ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", f"--accept={pipe}"])
context = uno.getComponentContext()
resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
began = time.monotonic()
while True:
    try:
        there = resolver.resolve(f"uno:{pipe};StarOffice.ComponentContext")
        break
    except NoConnectException:
        if time.monotonic() - began > 60 or office.poll() is not None:
            sys.exit("LibreOffice does not answer")
        time.sleep(0.1)
desktop = there.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", there)
hidden = PropertyValue("Hidden", 0, True, 0)
book = desktop.loadComponentFromURL(uno.systemPathToFileUrl(workbook), "_blank", 0, (hidden,))
cells = book.Sheets.getByName(sheet)
for cell, text in zip(typed[::2], typed[1::2]):
    cells.getCellRangeByName(cell).FormulaLocal = text
book.store()
book.close(True)
try:
    desktop.terminate()
except DisposedException:
    pass  # It went before it could answer. What it ends with says whether it went well.
sys.exit(office.wait())
