"""Opens a report of `onda run` in headless Chromium and uses it as a reader would: by pointer, by keyboard, in the light
and the dark theme, on a phone, without a network. Ends with 77 where there is no Chromium.

usage: report_in_chromium.py PAGE LINES [FOLDER for screenshots]; LINES is the report of a streamer of three cables
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """Chromium, spoken to in its DevTools protocol over a pair of pipes."""

    def __init__(self):
        # Processes of the browser may still be writing when the first of them has gone.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def wire():  # the protocol's pipes are 3 and 4; those of ours may have these very numbers
            high = [os.dup2(to_read, 1003), os.dup2(from_write, 1004)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def message(self):
        while b"\0" not in self.rest:
            assert select.select([self.from_read], [], [], 90)[0], "Chromium does not answer"
            piece = os.read(self.from_read, 1 << 20)
            assert piece, "Chromium has gone"
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_write, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def open(self, page, width=1200, height=900, dark=False, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(page).absolute().as_uri())
        self.wait("document.documentElement && document.documentElement.dataset.ready === 'yes'")
        self.settle()

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.js(condition):
            failure = self.js("document.querySelector('#failure:not([hidden])')?.textContent")
            assert not failure, failure
            assert time.monotonic() < end, f"waited in vain for {condition}"
            time.sleep(0.05)

    def settle(self):
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def press(self, key, code=None, text=""):
        for kind in ("keyDown", "keyUp"):
            numbers = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Tab": 9, " ": 32, "Enter": 13}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode=numbers.get(key, ord(key[0])), text=text if kind == "keyDown" else "")
        self.settle()

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                      clickCount=0 if kind == "mouseMoved" else 1)
        self.settle()

    def pixels(self, canvas):
        """A number that another picture hardly has."""
        self.settle()
        # From a copy: Chromium warns of canvases that are read again and again.
        return self.js(f"""(() => {{ const of = document.getElementById('{canvas}'), c = document.createElement('canvas');
            c.width = of.width; c.height = of.height; const to = c.getContext('2d', {{willReadFrequently: true}});
            to.drawImage(of, 0, 0);
            const d = to.getImageData(0, 0, c.width, c.height).data; let h = 0;
            for (let i = 0; i < d.length; ++i) h = (h * 31 + d[i]) | 0; return h; }})()""")

    def screenshot(self, file):
        width, height = self.js("innerWidth"), self.js("document.documentElement.scrollHeight")
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def complaints(self):
        """What the console shows as an error or a warning, and dialogs."""
        found = [e["params"] for e in self.events if e["method"] in (
            "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")]
        return found + [e["params"] for e in self.events
                        if e["method"] == "Runtime.consoleAPICalled" and e["params"]["type"] in ("error", "warning", "assert")]

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def check(condition, text):
    assert condition, text
    print("ok  ", text)


def focus(browser, element):
    browser.js(f"document.getElementById('{element}').focus()")


def check_wavefield(browser):
    value = lambda: int(browser.js("document.getElementById('movie-time').value"))
    browser.js("document.getElementById('movie-canvas').scrollIntoView({block: 'center'})")
    focus(browser, "movie-time")
    before, picture, text = value(), browser.pixels("movie-canvas"), browser.js("document.getElementById('movie-time-text').value")
    for _ in range(3):
        browser.press("ArrowRight")
    check(value() == before + 3, "arrow keys move the slider of the wavefield")
    check(browser.pixels("movie-canvas") != picture, "the slider moves the wavefield")
    check(browser.js("document.getElementById('movie-time-text').value") != text, "the time of the frame follows")
    for _ in range(3):
        browser.press("ArrowLeft")
    check(browser.pixels("movie-canvas") == picture, "going back gives the same picture")
    focus(browser, "movie-gain")
    browser.press("ArrowRight")
    check(browser.pixels("movie-canvas") != picture, "the gain changes the picture")
    focus(browser, "movie-play")
    before = value()
    browser.press(" ", "Space", " ")
    browser.wait(f"Number(document.getElementById('movie-time').value) !== {before}")
    check(browser.js("document.getElementById('movie-play').getAttribute('aria-label')") == "Pause", "space plays")
    browser.press(" ", "Space", " ")
    after = value()
    time.sleep(0.4)
    check(value() == after, "space pauses")
    shots = browser.js("document.getElementById('movie-shot').options.length")
    check(shots == 2, "the wavefields of both shots can be chosen")
    picture = browser.pixels("movie-canvas")
    browser.js("(s => { s.value = s.value === '1' ? '0' : '1'; s.dispatchEvent(new Event('change')); })(document.getElementById('movie-shot'))")
    time.sleep(0.3)
    check(browser.pixels("movie-canvas") != picture, "another shot shows another wavefield")


def check_model(browser):
    browser.js("document.getElementById('model-canvas').scrollIntoView({block: 'center'})")
    focus(browser, "model-canvas")
    browser.press("ArrowRight")
    readout = browser.js("document.getElementById('model-readout').textContent")
    check("vp" in readout and "m/s" in readout, f"the keyboard reads the model: {readout}")
    values = browser.js("document.getElementById('model-range').textContent")
    check("1500 m/s" in values and "2500 m/s" in values, f"the colour bar has the range of the model: {values}")


def check_gathers(browser):
    browser.js("document.getElementById('gather-canvas').scrollIntoView({block: 'center'})")
    title = lambda: browser.js("document.getElementById('trace-title').textContent")
    picture, before = browser.pixels("gather-canvas"), title()
    focus(browser, "gather-canvas")
    browser.press("+", "Equal", "+")
    check(browser.pixels("gather-canvas") != picture, "plus enlarges the gather")
    browser.press("0", "Digit0", "0")
    check(browser.pixels("gather-canvas") == picture, "0 shows all of it again")
    focus(browser, "gather-trace")
    browser.press("ArrowRight")
    check(title() != before, f"the slider takes another trace: {title()}")
    box = browser.js("(b => [b.left, b.top, b.width, b.height])(document.getElementById('gather-canvas').getBoundingClientRect())")
    before = title()
    browser.click(box[0] + 0.9 * box[2], box[1] + 0.5 * box[3])
    check(title() != before and "Receiver" in title(), f"a click takes another trace: {title()}")
    chosen = lambda: browser.js("document.getElementById('gather-map').value")
    check(chosen() == "wiggles", "few traces are wiggles")
    spacing = browser.js("document.getElementById('gather-range').textContent")
    check(spacing.startswith("One trace spacing = ") and spacing.endswith("Pa"), f"their scale is told: {spacing}")
    browser.js("(s => { s.value = 'grey'; s.dispatchEvent(new Event('input')); })(document.getElementById('gather-map'))")
    ends = browser.js("[...document.querySelectorAll('#gather-range span')].map(s => s.textContent)")
    check(len(ends) == 3 and ends[0] == "−" + ends[2] and ends[1] == "0", f"colours have a bar about zero: {ends}")
    check(not browser.js("document.getElementById('gather-bar').hidden"), "the bar is shown")
    for chart in ("trace-chart", "trace-spectrum-chart", "spectrum-chart", "wavelet-chart"):
        check(browser.js(f"document.querySelectorAll('#{chart} canvas').length") > 0, f"{chart} is drawn")


def check_lines(browser):
    """Of several lines the one nearest to the source is shown; of a streamer, by offset."""
    of = lambda select: browser.js(f"document.getElementById('{select}').selectedOptions[0].textContent")
    check(of("gather-line") == "y = 200 m, nearest to the source", f"the line: {of('gather-line')}")
    check(of("gather-axis") == "Offset (m)", f"a streamer is shown by offset: {of('gather-axis')}")
    picture = browser.pixels("gather-canvas")
    browser.js("(s => { s.value = '0'; s.dispatchEvent(new Event('change')); })(document.getElementById('gather-line'))")
    browser.wait("document.getElementById('trace-title').textContent.includes('y 100')")
    check(browser.pixels("gather-canvas") != picture, "another line shows other traces")
    check(of("gather-axis") == "Receiver x (m)", f"where steps of offset are uneven, by position: {of('gather-axis')}")


def check_keyboard(browser):
    """Every control is reached by Tab, and shows that it has the focus."""
    browser.js("document.activeElement.blur(); window.scrollTo(0, 0)")
    browser.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    wanted = set(browser.js("""[...document.querySelectorAll('button, select, input, canvas[tabindex]')]
        .filter(e => e.checkVisibility() && !e.disabled).map(e => e.id)"""))
    seen, unmarked = set(), []
    for _ in range(120):
        browser.press("Tab")
        name, outline = browser.js("""(e => [e.id || e.textContent.trim().slice(0, 30), e === document.body ? 'auto' :
            getComputedStyle(e).outlineStyle])(document.activeElement)""")
        if outline == "none":
            unmarked.append(name)
        seen.add(name)
        if wanted <= seen:
            break
    check(wanted <= seen, f"Tab reaches all {len(wanted)} controls (missing: {sorted(wanted - seen)})")
    check(not unmarked, f"what has the focus shows it {unmarked}")
    unnamed = browser.js("""[...document.querySelectorAll('button, select, input, canvas[tabindex]')]
        .filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.closest('label')?.textContent.trim() || e.textContent.trim())).map(e => e.id)""")
    check(not unnamed, f"every control has a name {unnamed}")


def main():
    if not CHROMIUM:
        print("skipped: there is no Chromium (Debian: chromium)")
        return 77
    page, lines, folder = *sys.argv[1:3], pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    browser = Browser()
    try:
        browser.open(page)
        check(browser.js("document.title").startswith("Two shots </title>"), "the title is text, whatever it holds")
        check(browser.js("document.getElementById('title').textContent").startswith("Two shots </title>"), "the heading, too")
        edges = browser.js("(document.body.textContent.match(/Absorbing zones .{0,20}beyond [^·]{0,60}?edges?/) || [''])[0]")
        check(edges.endswith("beyond the left, right and bottom edges"), f"edges are told as in a sentence: {edges}")
        light = browser.js("getComputedStyle(document.body).backgroundColor")
        if folder:
            browser.screenshot(folder / "light.png")
        check_wavefield(browser)
        check_model(browser)
        check_gathers(browser)
        check_keyboard(browser)
        browser.js("document.getElementById('theme').click()")
        browser.settle()
        dark = browser.js("getComputedStyle(document.body).backgroundColor")
        check(dark != light, "the button changes the theme")
        browser.open(page, dark=True)
        check(browser.js("getComputedStyle(document.body).backgroundColor") == dark, "the page is dark where the system is")
        if folder:
            browser.screenshot(folder / "dark.png")
        browser.open(page, width=360, height=740, mobile=True)
        width = browser.js("document.documentElement.scrollWidth")
        check(width <= 360, f"nothing is wider than a phone ({width} of 360)")
        if folder:
            browser.screenshot(folder / "phone.png")
        browser.open(lines)
        check_lines(browser)
        asked = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
        check(not asked, f"nothing is asked of a network {asked}")
        files = {url for url in browser.requests() if url.startswith("file:")}
        check(len(files) == 2, f"no file is read but the two pages {files}")
        check(not browser.complaints(), f"the console is silent {browser.complaints()}")
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
