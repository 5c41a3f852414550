// Chromium as the tests want it: nothing leaves the machine, and all that goes wrong is known.
import { chromium } from "playwright-core"

// open gives pages of the one browser of all tests, which may ask for what begins with one of the addresses, and for nothing
// else. What goes wrong is in faults, a sentence each.
export async function open(allowed) {
  const faults = []
  const browser = await chromium.connect(process.env.BROWSER)
  return {
    faults,
    close: () => browser.close(),

    // A page, in the light theme and wide at first, with what it tells of shifts, refused content and requests.
    async page(options = {}) {
      const context = await browser.newContext({
        colorScheme: "light", viewport: { width: 1440, height: 900 }, serviceWorkers: "block", reducedMotion: "reduce", locale: "en-GB", ...options,
      })
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const fault = (text) => faults.push(`${page.url()} (${page.viewportSize().width}): ${text}`)
      await context.route("**/*", (route) => {
        const url = route.request().url()
        if (allowed.some((a) => url.startsWith(a))) return route.continue()
        fault(`asks for ${url}`)
        return route.abort()
      })
      await context.routeWebSocket(/.*/, (socket) => fault(`opens a socket to ${socket.url()}`))
      await context.addInitScript(() => {
        window.shifts = []
        // The second frame of the loaded page. The one before may still widen the columns of a table that was shown in part. The
        // clock is read, since a frame that comes late has the time at which it was due, and its shifts the time of its layout.
        addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => { window.whole = performance.now() })))
        new PerformanceObserver((list) => {
          for (const e of list.getEntries()) {
            if (!e.hadRecentInput) window.shifts.push({ at: e.startTime, value: e.value, of: e.sources.map((s) => s.node?.nodeName + "." + (s.node?.className ?? "")) })
          }
        }).observe({ type: "layout-shift", buffered: true })
        document.addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} refuses ${e.blockedURI}`))
      })
      page.on("console", (m) => ["error", "warning"].includes(m.type()) && fault(`console: ${m.text()}`))
      page.on("pageerror", (e) => fault(`error of a script: ${e.message}`))
      page.on("dialog", (d) => {
        fault(`dialog: ${d.message()}`)
        return d.dismiss()
      })
      page.on("download", (d) => fault(`downloads ${d.url()}`))
      page.on("popup", (p) => fault(`opens ${p.url()}`))
      page.on("response", (r) => r.status() >= 400 && fault(`status ${r.status()} of ${r.url()}`))
      return page
    },
  }
}

// indexed waits on a page until the viewer knows all rows.
export async function indexed(page, view) {
  await page.goto(view)
  await settled(page)
}

// settled waits until a page of the viewer has all that it waits for.
export async function settled(page) {
  await page.waitForFunction(() => document.body && !document.body.dataset.live)
}

// task is what the Go test wants, as JSON on standard input.
export async function task() {
  let text = ""
  for await (const part of process.stdin) text += part
  return JSON.parse(text)
}

// end prints the faults and ends with 1 when there are any.
export function end(faults) {
  for (const f of faults) console.log(f)
  process.exitCode = faults.length > 0 ? 1 : 0
}
