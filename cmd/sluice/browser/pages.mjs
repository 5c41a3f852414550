// Looks at pages: {allowed: [address], view: address, pages: [{name, url, axe, keys}], dark, whole, shots: folder}. Those with axe are
// looked at for what it knows, and those with keys gone through by the keyboard. It begins when the viewer knows all rows. A page that is
// wrong is answered with status 400. Dark is looked at where that is wanted, and a third width when the look is whole. With a folder it
// takes pictures for people to look at instead, in both themes and three widths.
import { join } from "node:path"
import * as checks from "./checks.mjs"
import { end, indexed, open, settled, task } from "./chromium.mjs"

const { allowed, view, pages, dark, whole, shots } = await task()
const chromium = await open(allowed)
const page = await chromium.page()
if (view) await indexed(page, view)

// The dark theme differs from the light one by its contrast, and widths by what fits; so nothing is asked twice.
const looks = [
  { theme: "light", width: 1440, of: pages, asks: [checks.tame], axe: [checks.axe], keys: [checks.focus] },
  { theme: "light", width: 900, of: whole ? pages : [] },
  { theme: "light", width: 390, of: pages, axe: [checks.targets] },
  { theme: "dark", width: 1440, of: dark ? pages.filter((p) => p.axe) : [], axe: [checks.contrast] },
  { theme: "dark", width: 900, of: [] },
  { theme: "dark", width: 390, of: [] },
]
for (const { theme, width, of, asks = [], axe = [], keys = [] } of looks) {
  const looked = shots ? pages : of
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: theme })
  for (const p of looked) {
    await page.goto(p.url)
    if (await page.evaluate(() => document.body.dataset.live)) { // a search that reads files is looked at when it is over
      await settled(page)
      await page.goto(p.url)
    }
    if (shots) {
      await page.screenshot({ path: join(shots, `${p.name}-${theme}-${width}.png`), fullPage: true })
      continue
    }
    for (const ask of [...(p.axe ? axe : []), ...asks, ...(p.keys ? keys : []), checks.tooWide, checks.shifts]) {
      chromium.faults.push(...(await ask(page)).map((f) => `${p.name} (${theme}, ${width}): ${f}`))
    }
  }
}
await chromium.close()
end(chromium.faults.filter((f) => !pages.some((p) => p.wrong && f.includes(p.url) && /status (of )?400/.test(f))))
