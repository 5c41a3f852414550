// Looks at pages in both themes and three widths: {allowed: [address], pages: [{name, url}], shots: folder}. With a folder
// it takes a picture of each too. A task may name fewer themes and widths.
import { join } from "node:path"
import * as checks from "./checks.mjs"
import { end, open, task } from "./chromium.mjs"

const { allowed, pages, shots, themes = ["light", "dark"], widths = [1440, 900, 390] } = await task()
const chromium = await open(allowed)
for (const theme of themes) {
  for (const width of widths) {
    const page = await chromium.page(theme, width)
    for (const { name, url } of pages) {
      await page.goto(url)
      if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}-${width}.png`), fullPage: true })
      const found = await look(page, theme, width)
      chromium.faults.push(...found.map((f) => `${name} (${theme}, ${width}): ${f}`))
    }
    await page.context().close()
  }
}
await chromium.close()
end(chromium.faults)

// look does not ask the same twice: the dark theme differs from the light one by its contrast alone, and the middle width
// from the others by what fits.
async function look(page, theme, width) {
  const found = []
  if (theme === "dark" && width !== 900) found.push(...(await checks.axe(page, ["color-contrast"])))
  if (theme === "light" && width !== 900) {
    found.push(...(await checks.axe(page)), ...(await checks.tame(page)), ...(await checks.focus(page)))
  }
  return found.concat(await checks.tooWide(page), await checks.shifts(page))
}
