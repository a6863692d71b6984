"""Serves one LibreOffice, on a profile of its own, until standard input ends. A line of JSON asks, a line of JSON
answers: {} or {"error": what went wrong}.

{"convert": FILES, "as": "EXTENSION[:FILTER[:OPTIONS]]", "by": "FILTER:OPTIONS", "into": FOLDER} opens each file, by the
filter if one is named, and saves it in the folder; what it means is as for soffice --convert-to.
{"type": TEXTS BY CELL, "sheet": NAME, "in": FILE} has each text typed into its cell as a person types it, and saves the
file as what it was."""

import json, os, shutil, signal, subprocess, sys, tempfile, time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.uno import Exception as OfficeException

FILTERS = {"pdf": "calc_pdf_Export", "fods": "OpenDocument Spreadsheet Flat XML"}
profile = tempfile.mkdtemp(prefix="office")
pipe = f"pipe,name=adsync{os.getpid()};urp"
office = None


def desktop():
    """The desktop of the LibreOffice that runs, of a new one if none does."""
    global office
    if office is None or office.poll() is not None:
        office = subprocess.Popen(
            ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", f"--accept={pipe}"],
            stdin=subprocess.DEVNULL, stdout=sys.stderr)
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    began = time.monotonic()
    while True:
        try:
            there = resolver.resolve(f"uno:{pipe};StarOffice.ComponentContext")
            return there.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", there)
        except NoConnectException:
            if time.monotonic() - began > 300 or office.poll() is not None:
                raise
            time.sleep(0.1)


def properties(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def filtered(name, options):
    return properties(FilterName=name, **({"FilterOptions": options} if options else {}))


def opened(file, by=()):
    book = desktop().loadComponentFromURL(uno.systemPathToFileUrl(file), "_blank", 0, properties(Hidden=True) + by)
    if book is None:
        raise OSError(f"LibreOffice does not open {file}")
    return book


def convert(asked):
    extension, _, rest = asked["as"].partition(":")
    name, _, options = rest.partition(":")
    by, _, how = asked.get("by", "").partition(":")
    os.makedirs(asked["into"], exist_ok=True)
    for file in asked["convert"]:
        book = opened(file, filtered(by, how) if by else ())
        base = os.path.splitext(os.path.basename(file))[0]
        to = os.path.join(asked["into"], f"{base}.{extension}")
        book.storeToURL(uno.systemPathToFileUrl(to), filtered(name or FILTERS[extension], options))
        book.close(True)


def type_into(asked):
    book = opened(asked["in"])
    cells = book.Sheets.getByName(asked["sheet"])
    for cell, text in asked["type"].items():
        cells.getCellRangeByName(cell).FormulaLocal = text
    book.store()
    book.close(True)


try:
    for line in sys.stdin:
        asked, answer = json.loads(line), {}
        try:
            convert(asked) if "convert" in asked else type_into(asked)
        except (OfficeException, OSError) as e:
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)
finally:
    if office is not None and office.poll() is None:
        try:
            desktop().terminate()
        except OfficeException:
            pass  # It went before it could answer.
        try:
            office.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(0, signal.SIGKILL)
    shutil.rmtree(profile, ignore_errors=True)
