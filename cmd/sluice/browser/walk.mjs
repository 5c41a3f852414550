// Goes through viewer and report as people do, by mouse and by keyboard: {allowed: [address], view: address, report: address}.
import assert from "node:assert/strict"
import { end, indexed, open, settled, task } from "./chromium.mjs"

const { allowed, view, report } = await task()
const chromium = await open(allowed)
const first = await chromium.page()
await indexed(first, view)
await first.context().close()

const number = (text) => Number(text.replace(/[^0-9.]/g, ""))
const found = (page) => page.locator("#progress strong.num").innerText().then(number)
const records = (page) => page.locator("#progress span.num").innerText().then(number)
const follow = (page, link) => Promise.all([page.waitForEvent("load"), link.click()]) // and the page that it leads to is whole
const links = (page) => page.getByRole("region", { name: "Table of rows" }).getByRole("rowheader").getByRole("link")

const walks = {
  async "a reject, its row and its way through the steps"(page) {
    await page.goto(view)
    const code = page.getByRole("row", { name: /^no_user_turn/ })
    const records = number(await code.getByRole("cell").first().innerText())
    await follow(page, code.getByRole("link"))
    assert.equal(await found(page), records, "rows with the code, as many as the receipt says")
    await follow(page, links(page).first())
    assert.match(await page.locator(".notice.bad").innerText(), /no_user_turn/)
    const rejected = await page.locator(".notice.bad").innerText()

    await follow(page, page.getByRole("link", { name: "Steps" }))
    const stops = await page.locator(".stop").allInnerTexts()
    assert.ok(stops.some((s) => /rejected/.test(s)), "its way ends in a reject")
    assert.ok(stops.some((s) => rejected.includes(s.match(/^step (\S+)/)?.[1])), "the step that rejected it is on its way")

    await follow(page, page.getByRole("complementary", { name: "Of the same record" }).getByRole("link", { name: /^input\// }))
    assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^input\/.*:\d+$/)
    await page.goBack()
    await page.goBack()
    assert.match(page.url(), /rejects/)
  },

  async "filters, order and search"(page) {
    await page.goto(view + "rows")
    const all = await found(page)
    await page.locator("summary", { hasText: /^task$/ }).click()
    const word = page.locator("details", { has: page.locator("summary", { hasText: /^task$/ }) }).getByRole("listitem").filter({ hasText: "weather" })
    const weather = number(await word.locator(".num").innerText())
    await follow(page, word.getByRole("link"))
    assert.equal(await records(page), weather, "as many records as the filter promised")
    const rows = await found(page)
    assert.ok(weather > 0 && rows > weather && rows < all)

    await page.getByLabel("Sort by").selectOption({ label: "size" })
    await page.getByLabel("Descending").check()
    await follow(page, page.getByRole("button", { name: "Search" }))
    assert.equal(await found(page), rows, "an order leaves nothing out")
    const sizes = (await page.getByRole("row").getByRole("cell").last().locator("xpath=../../..").locator("td:last-child").allInnerTexts()).map(bytes)
    assert.deepEqual(sizes, sizes.toSorted((a, b) => b - a))

    await page.getByLabel("Text", { exact: true }).fill("kyoto")
    await page.keyboard.press("Enter")
    await page.waitForURL(/[?&]q=kyoto/)
    await settled(page)
    const hits = await found(page)
    assert.ok(hits > 0 && hits < rows, `want a part of ${rows} rows, have ${hits}`)
    for (const mark of await page.locator("mark.hit").allInnerTexts()) assert.equal(mark.toLowerCase(), "kyoto")

    await follow(page, page.getByRole("link", { name: /^Without .*weather/ }))
    assert.ok((await found(page)) >= hits)
    await follow(page, page.getByRole("link", { name: "Clear all" }))
    assert.equal(await found(page), all)

    await page.getByLabel("Path = value").fill("response.finishReason=length")
    await page.keyboard.press("Enter")
    await page.waitForURL(/finishReason/)
    await settled(page)
    assert.ok((await found(page)) < all)
  },

  async "personal values are shown when asked for, and that is said"(page) {
    await page.goto(view + "rows?in.entity=EMAIL_ADDRESS&in.shape=finding")
    await follow(page, links(page).first())
    await follow(page, page.getByRole("complementary", { name: "Of the same record" }).getByRole("link", { name: /^input\// }))
    const body = page.getByRole("region", { name: "The row" })
    assert.doesNotMatch(await body.innerText(), /@example\.org/)
    await follow(page, page.getByRole("link", { name: "Show personal values" }))
    assert.match(await body.innerText(), /@example\.org/)
    assert.match(await page.getByRole("status").first().innerText(), /Personal values are shown/)
    await follow(page, page.getByRole("link", { name: "Mask them again" }))
    assert.doesNotMatch(await body.innerText(), /@example\.org/)
  },

  async "two runs, group by group and record by record"(page) {
    await page.goto(view + "compare")
    await settled(page)
    const differ = number(await page.locator(".figures .value").first().innerText())
    assert.ok(differ > 0)
    await follow(page, page.locator(".examples a").first())
    assert.equal(await page.getByText("One record in both runs").count(), 1)
    assert.ok((await page.locator(".changes li").count()) + (await page.getByText(/only in [AB]/).count()) > 0, "what differs is said")
    assert.ok((await page.locator(".sides").count()) > 0)
  },

  async "ranges of numbers lead to their rows"(page) {
    await page.goto(view + "rows?in.outcome=kept")
    await page.locator("summary", { hasText: /^size$/ }).click()
    const facet = page.locator("details.facet", { has: page.locator("summary", { hasText: /^size$/ }) })
    assert.equal(await facet.locator("svg.spread").count(), 1)
    const counts = (await facet.locator("li .num").allInnerTexts()).map(number)
    assert.equal(counts.reduce((a, b) => a + b), await found(page), "every row is in one range")
    await follow(page, facet.getByRole("listitem").last().getByRole("link"))
    assert.equal(await found(page), counts.at(-1))
    assert.match(await page.locator(".chosen").innerText(), /at least .* size/)
  },

  async "a theme stays, on every page and when a page is loaded again"(page) {
    const dark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark")
    const button = page.getByRole("button", { name: /^Theme:/ })
    await page.goto(view)
    assert.equal(await button.innerText(), "Theme: auto")
    await button.click()
    await button.click()
    assert.ok(await dark())
    await page.reload()
    assert.ok(await dark(), "when it is loaded again")
    assert.equal(await button.innerText(), "Theme: dark")
    assert.match(await page.evaluate(async () => (await fetch(location.href)).text()), /<html lang="en" data-theme="dark">/, "before any script")
    await page.goto(view + "report")
    assert.ok(await dark(), "in the report")
    await page.getByText("Light", { exact: true }).click()
    await page.reload()
    assert.ok(!(await dark()), "as chosen in the report")
    await page.emulateMedia({ colorScheme: "dark" })
    await page.goto(view + "rows")
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "light", "whatever the system has")
    await button.click()
    await button.click()
    await page.reload()
    assert.equal(await button.innerText(), "Theme: auto")
  },

  async "by keyboard alone"(page) {
    await page.goto(view + "rows")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter") // the link past the head of the page
    assert.equal(await page.evaluate(() => document.activeElement.id), "main")
    await page.keyboard.press("/")
    await page.keyboard.type("passport")
    await page.keyboard.press("Enter")
    await page.waitForURL(/q=passport/)
    await settled(page)
    const names = await links(page).allInnerTexts()
    assert.ok(names.length > 2)
    const at = () => page.getByRole("heading", { level: 1 }).innerText()
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    assert.equal(await page.evaluate(() => document.activeElement.innerText), names[1])
    await page.keyboard.press("k")
    await page.keyboard.press("Enter")
    await page.waitForURL(/row\?/)
    assert.equal(await at(), names[0])
    await turn("ArrowRight", names[1])
    await turn("j", names[2])
    await turn("ArrowLeft", names[1])
    await page.keyboard.press("2")
    await page.waitForURL(/as=json/)
    assert.equal(await at(), names[1], "another way to look at the same row")
    await page.keyboard.press("?")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    assert.equal(await page.getByRole("dialog").count(), 0)
    await page.keyboard.press("u")
    await page.waitForURL(/rows\?.*q=passport/)

    async function turn(key, to) {
      await page.keyboard.press(key)
      await page.waitForFunction((to) => document.querySelector("h1")?.innerText === to, to)
    }
  },

  async "a value by its path, what was found as a file, and back to the row in the list"(page) {
    await page.goto(view)
    await follow(page, page.getByRole("link", { name: "Show the rows" }))
    assert.match(page.url(), /rows\?in\.outcome=kept$/, "each record once")
    const kept = await found(page)
    const lines = await page.evaluate(async () => (await (await fetch(document.querySelector("a[download]").href)).text()).split("\n"))
    assert.equal(lines.length, kept + 1, "a line for each row")
    assert.ok(lines.slice(0, -1).every((line) => JSON.parse(line)))
    const row = links(page).nth(3)
    const name = await row.innerText()
    await follow(page, row)
    await follow(page, page.getByRole("link", { name: "JSON", exact: true }))
    await page.getByLabel("Path", { exact: true }).fill("messages.0.role")
    await follow(page, page.getByRole("button", { name: "Go there" }))
    assert.match(await page.locator("#here").innerText(), /^role/)
    await page.getByRole("link", { name: "Conversation" }).click()
    await page.locator(".transcript .turn").first().waitFor()
    await page.goBack()
    await page.keyboard.press("u")
    await page.waitForURL(/rows/)
    await page.waitForFunction((name) => document.activeElement?.innerText === name, name)
  },

  async "the report leads to its sections and is whole without a script"(page) {
    await page.goto(report)
    for (const link of await page.getByRole("navigation").getByRole("link").all()) {
      const to = await link.getAttribute("href")
      assert.equal(await page.locator(to).count(), 1, to)
    }
    await page.getByText("Dark", { exact: true }).click()
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.getByText("Light", { exact: true }).click()
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), dark)
    assert.equal(await page.locator("script").count(), 0)
  },
}

// bytes is a size as pages write it.
function bytes(text) {
  const [, n, unit] = text.match(/^([\d.,]+)\s?(\S+)$/)
  return number(n) * { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[unit]
}

for (const [name, walk] of Object.entries(walks)) {
  const page = await chromium.page()
  page.setDefaultTimeout(30_000)
  await walk(page).catch((e) => chromium.faults.push(`${name}, at ${page.url()}: ${e.stack}`))
  await page.context().close()
}
await chromium.close()
end(chromium.faults)
