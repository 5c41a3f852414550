// Takes the pictures of the README: {allowed: [address], report: address, view: address, to: folder}.
import { join } from "node:path"
import { end, indexed, open, settled, task } from "./chromium.mjs"

const { allowed, report, view, to } = await task()
const chromium = await open(allowed)

// Twice as many pixels than fit would not be small enough for a page that people load.
const size = { viewport: { width: 1200, height: 760 }, deviceScaleFactor: 1.5 }
const shot = (page, name) => page.screenshot({ path: join(to, name), animations: "disabled", caret: "hide" })

const page = await chromium.page(size)
await page.goto(report)
await shot(page, "report.png")
await page.emulateMedia({ colorScheme: "dark" })
await page.goto(report)
await shot(page, "report-dark.png")
await page.emulateMedia({ colorScheme: "light" })

await indexed(page, view)
await page.goto(view + "rows?in.file=canonical%2Ftrain.jsonl&in.task=shell")
await page.locator(".rows .at").first().click()
await shot(page, "row.png")

await page.goto(view + "compare")
await settled(page)
await page.locator(".examples a").first().click()
await shot(page, "compare.png")

await chromium.close()
end(chromium.faults)
