// Looks at pages: {allowed: [address], view: address, pages: [{name, url, keys}], brief, shots: folder}. Those with keys are gone
// through by the keyboard. It begins when the viewer knows all rows. A page that is wrong is answered with status 400. A brief look is
// one at the light theme, on a wide page and a narrow one. With a folder it takes pictures for people to look at instead, in both
// themes and three widths.
import { join } from "node:path"
import * as checks from "./checks.mjs"
import { end, indexed, open, settled, task } from "./chromium.mjs"

const { allowed, view, pages, brief, shots } = await task()
const chromium = await open(allowed)
if (view) await indexed(chromium, view)

// The dark theme differs from the light one by its contrast, and widths by what fits; so nothing is asked twice.
const light = [checks.axe, checks.tame]
const looks = [
  { theme: "light", width: 1440, asks: light },
  { theme: "light", width: 900, asks: [] },
  { theme: "light", width: 390, asks: [checks.targets] },
  { theme: "dark", width: 1440, asks: [checks.contrast] },
  { theme: "dark", width: 900, asks: [], shotsOnly: true },
  { theme: "dark", width: 390, asks: [], shotsOnly: true },
]
for (const { theme, width, asks, shotsOnly } of looks) {
  if (!shots && (shotsOnly || (brief && (theme === "dark" || width === 900)))) continue
  const page = await chromium.page(theme, width)
  for (const { name, url, keys } of pages) {
    await page.goto(url)
    if (await page.evaluate(() => document.body.dataset.live)) { // a search that reads files is looked at when it is over
      await settled(page)
      await page.goto(url)
    }
    if (shots) {
      await page.screenshot({ path: join(shots, `${name}-${theme}-${width}.png`), fullPage: true })
      continue
    }
    for (const ask of [...asks, ...(keys && asks === light ? [checks.focus] : []), checks.tooWide, checks.shifts]) {
      chromium.faults.push(...(await ask(page)).map((f) => `${name} (${theme}, ${width}): ${f}`))
    }
  }
  await page.context().close()
}
await chromium.close()
end(chromium.faults.filter((f) => !pages.some((p) => p.wrong && f.includes(p.url) && /status (of )?400/.test(f))))
