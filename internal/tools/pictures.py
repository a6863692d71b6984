#!/usr/bin/python3
"""Draws the pictures of the documentation: the account in docs/use/pictures/account on an emulated
service with six weeks of delivery, its export with figures, a marked copy and a copy with results,
laid out by LibreOffice, and a plan as a browser shows it; for the README, the workbook of
examples/quickstart and its plan. Run by make pictures, with bin/adsync built; what is named as an
argument (readme) is drawn alone."""

import json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time, urllib.request

import openpyxl

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADSYNC = ROOT / "bin" / "adsync"
PICTURES = ROOT / "docs" / "use" / "pictures"
DAY = 86400
NOW = 1795798800  # 2026-11-27 12:00 in New York: drawn anew on another day, a picture is the same
LIMIT = 200_000  # bytes of a picture


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        draw_readme()
        if "readme" in sys.argv[1:]:
            return
        shutil.copytree(PICTURES / "account", "store")
        with open("served", "w") as served:
            emulator = subprocess.Popen([ADSYNC, "emulator", "--memory", "--listen", "127.0.0.1:0", "--account", "adacct_trailshoes",
                                         "--timezone", "America/New_York", "--key", "sk-pictures", "--review-delay", "1h"], stdout=served)
        try:
            make_books(environment())
        finally:
            emulator.send_signal(signal.SIGINT)
            emulator.wait()
        draw()


def draw_readme():
    """Draws the workbook of the quick start with its grid, as an editor shows it, and its plan."""
    shutil.copytree(ROOT / "examples" / "quickstart", "quickstart", ignore=shutil.ignore_patterns(".adsync"))
    adsync(None, "plan", "-q", "-o", "html", "--output-file", "quickstart.html", "quickstart")
    book = openpyxl.load_workbook("quickstart/winter.xlsx")
    for sheet in book.worksheets:
        sheet.print_options.gridLines = sheet.print_options.headings = True
        sheet.page_setup.orientation = "landscape"
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.page_setup.fitToHeight = 0
    for letter, width in {"A": 15, "B": 10, "C": 12, "D": 23, "E": 26, "F": 13, "G": 13, "H": 24}.items():
        book["Campaigns"].column_dimensions[letter].width = width
    book.save("quickstart.xlsx")
    narrow("quickstart.xlsx", "Campaigns", "IJK")
    lay_out("quickstart.xlsx")
    cut("readme-sheet", "quickstart.pdf", 1, 110, (72, 105, 1112, 103))
    photograph("readme-plan", "quickstart.html", 900, 600)


def environment():
    """Waits until the emulator says where it serves."""
    deadline = time.time() + 30
    while open("served").read().count("\n") < 2:
        if time.time() > deadline:
            sys.exit("the emulator does not say where it serves")
        time.sleep(0.05)
    return dict(os.environ, **dict(line.split("=", 1) for line in open("served").read().split()))


def make_books(env):
    move_clock(env, NOW - 42 * DAY)
    adsync(env, "apply", "--yes", "-q", "--allow", "activates", "--allow", "raises-spend=10000/day", "store")
    move_clock(env, NOW)
    adsync(env, "template", "--out", "template.xlsx", "store")
    adsync(env, "export", "-o", "xlsx", "--figures", "7d,30d", "--out", "export.xlsx", "store")
    project("typos", "export.xlsx", typos)
    adsync(env, "validate", "--marked", "problems.xlsx", "typos", ends=3)
    project("edits", "template.xlsx", fill)
    shutil.copytree("store/.adsync", "edits/.adsync")
    adsync(env, "plan", "-q", "-o", "html", "--output-file", "plan.html", "edits")
    post(env, "/_emulator/faults", {"faults": [{"match": {"op_type": "campaign.update"}, "action": {"job": {
        "do": "fail_op", "n": 1, "code": "budget_below_spend", "message": "The lifetime budget is below what was spent already; the least is 1,499.84 USD."}}}]})
    adsync(env, "apply", "--yes", "-q", "--results", "out", "edits", ends=8)
    os.rename("out/ads.xlsx", "results.xlsx")


def move_clock(env, to):
    post(env, "/_emulator/clock", {"now": to})


def post(env, path, body):
    root = env["ADSYNC_BASE_URL"].removesuffix("/v1")
    urllib.request.urlopen(urllib.request.Request(root + path, data=json.dumps(body).encode(), method="POST")).read()


def adsync(env, *arguments, ends=0):
    done = subprocess.run([ADSYNC, *arguments], env=env, capture_output=True, text=True)
    if done.returncode != ends:
        sys.exit(f"adsync {' '.join(arguments)} ended with {done.returncode}, not {ends}\n{done.stdout}{done.stderr}")


def project(name, workbook, change):
    """Makes a folder of the account with one workbook somebody has edited."""
    os.mkdir(name)
    pathlib.Path(name, "adsync.yaml").write_text(pathlib.Path("store/adsync.yaml").read_text().replace("store.yaml", "ads.xlsx"))
    book = openpyxl.load_workbook(workbook)
    change(book)
    book.save(pathlib.Path(name, "ads.xlsx"))


def typos(book):
    book["Ads"]["E3"] = "A headline that is very much longer than fifty characters"
    book["Ads"]["D5"] = "actve"
    book["Ads"]["I7"] = "shop.example/plan"
    book["Campaigns"]["D4"] = "25,00"
    book["Campaigns"]["F2"] = "1/2/2026"


def fill(book):
    """Fills a template in: rows that are created, changed, refused, held and left as they are."""
    sheet = book["Campaigns"]
    sheet.delete_rows(2)
    for number, (key, name, status, daily, lifetime) in enumerate([
        ("gift-cards", "Gift cards", "active", None, 1200), ("spring-launch", "Spring launch", "active", 95, None), ("winter-sale", "Winter sale", "paused", 250, None),
        ("brand", "Brand and store", "active", 400, None), ("summer-fair", "Summer fair", "paused", 30, None),
    ], 2):
        for column, value in {"A": name, "B": status, "C": "clicks", "D": daily, "E": lifetime, "P": key}.items():
            sheet[f"{column}{number}"] = value


def draw():
    """Lays the workbooks out and cuts the pictures from the pages."""
    narrow("results.xlsx", "Campaigns", "FGHIJKLMNOPQ")
    books = ["template.xlsx", "export.xlsx", "problems.xlsx", "results.xlsx"]
    lay_out(*books)
    for name, book, sheet, dpi, box in [
        ("start-here", "export", "Start here", 90, (30, 30, 900, 700)),
        ("campaigns", "export", "Campaigns", 210, (70, 100, 1500, 330)),
        ("ads", "export", "Ads", 230, (70, 100, 1500, 520)),
        ("figures", "export", "Campaigns", 210, (1330, 100, 930, 330)),
        ("performance", "export", "Performance", 110, (40, 50, 1150, 420)),
        ("marked", "problems", "Ads", 230, (70, 100, 1300, 420)),
        ("problems", "problems", "Problems", 130, (40, 50, 1400, 400)),
        ("results", "results", "Campaigns", 130, (40, 50, 1400, 400)),
    ]:
        cut(name, f"{book}.pdf", page(f"{book}.pdf", sheet), dpi, box)
    photograph("plan", "plan.html", 1280, 1100)
    photograph("plan-phone", "plan.html", 390, 1100)


def lay_out(*books):
    """Has LibreOffice make pages of workbooks."""
    subprocess.run(["soffice", f"-env:UserInstallation=file://{os.getcwd()}/profile", "--headless", "--convert-to", "pdf", *books],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def photograph(name, page, width, height):
    """Has a browser draw a page, as if the service was at the emulator's usual address: here it has a free port."""
    path = pathlib.Path(page)
    path.write_text(re.sub(r"http://127\.0\.0\.1:\d+/", "http://127.0.0.1:8484/", path.read_text()))
    subprocess.run(["chromium-headless-shell", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--run-all-compositor-stages-before-draw", f"--user-data-dir={os.getcwd()}/browser", f"--window-size={width},{height}",
                    f"--screenshot={os.getcwd()}/{name}.png", f"file://{os.getcwd()}/{page}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    keep(name)


def narrow(name, title, letters):
    """Hides columns, so that a picture shows what stands far apart."""
    book = openpyxl.load_workbook(name)
    for letter in letters:
        book[title].column_dimensions[letter].hidden = True
    book.save(name)


def page(pdf, sheet):
    """Finds the first page of a sheet, whose name is in the footer."""
    pages = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True).stdout.split("\f")
    for number, text in enumerate(pages, 1):
        footer = text.rstrip().rsplit("\n", 1)[-1].strip()
        if footer.startswith(sheet + "  "):
            return number
    sys.exit(f"{pdf} has no page of the sheet {sheet}")


def cut(name, pdf, number, dpi, box):
    x, y, width, height = map(str, box)
    subprocess.run(["pdftoppm", "-png", "-singlefile", "-r", str(dpi), "-f", str(number), "-l", str(number), "-x", x, "-y", y, "-W", width, "-H", height, pdf, name], check=True)
    keep(name)


def keep(name):
    """Makes a picture small, and takes it into the documentation."""
    target = PICTURES / f"{name}.png"
    subprocess.run(["pngquant", "--force", "--strip", "--output", target, "64", f"{name}.png"], check=True)
    if target.stat().st_size > LIMIT:
        sys.exit(f"{target} has {target.stat().st_size} bytes; want at most {LIMIT}")


main()
