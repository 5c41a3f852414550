// What holds of every page. Each check gives its findings, a sentence each.
import { readFileSync } from "node:fs"

const axeSource = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8")

// axe looks for what keeps people from reading or using the page.
export const axe = (page) => violations(page, {})

// contrast is the part of it that depends on the theme, and targets that of fingers on a narrow page.
export const contrast = (page) => violations(page, { runOnly: ["color-contrast"] })
export const targets = (page) => violations(page, { runOnly: ["target-size", "scrollable-region-focusable", "color-contrast"] })

async function violations(page, options) {
  await page.evaluate(axeSource) // past the content policy, which forbids a script of ours
  const found = await page.evaluate((options) => axe.run(document, { resultTypes: ["violations"], ...options }), options)
  return found.violations.flatMap((v) =>
    v.nodes.slice(0, 3).map((n) => `axe ${v.id}: ${v.help}: ${n.html.slice(0, 200)} (${[...n.any, ...n.all].map((a) => a.message).join("; ")})`))
}

// tooWide finds what makes the page itself scroll sideways. A table may scroll by itself.
export async function tooWide(page) {
  return page.evaluate(() => {
    const root = document.documentElement
    if (root.scrollWidth <= root.clientWidth) return []
    const scrolls = (e) => e && e !== document.body && e !== root && (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement))
    const out = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 0.5 && !scrolls(e.parentElement))
    return [`is ${root.scrollWidth} pixels wide, for ${out.slice(-3).map((e) => e.outerHTML.slice(0, 120)).join(" and ") || "no element"}`]
  })
}

// shifts finds what moved after the whole page was there. Before, a busy machine may show a table whose columns the next row widens.
export async function shifts(page) {
  await page.waitForFunction(() => window.whole)
  return page.evaluate(() => {
    const moved = window.shifts.filter((s) => s.at >= window.whole)
    const all = moved.reduce((sum, s) => sum + s.value, 0)
    return all > 0.001 ? [`jumps by ${all.toFixed(4)}: ${moved.flatMap((s) => s.of).slice(0, 5).join(", ")}`] : []
  })
}

// focus goes through the page by the tabulator, and finds stops that nobody sees and controls that are never reached. A
// stop is looked at when the next key is pressed, since the page has moved to it by then.
export async function focus(page) {
  const controls = await page.evaluate(() => {
    document.activeElement?.blur()
    window.scrollTo(0, 0)
    window.stops = new Map()
    document.addEventListener("keydown", () => {
      const e = document.activeElement
      if (!e || e === document.body || window.stops.has(e)) return
      const s = getComputedStyle(e)
      const label = e.matches("input[type=radio], input[type=checkbox]") && e.labels?.[0]
      const rings = [s, label && getComputedStyle(label)].filter(Boolean)
      const box = (label || e).getBoundingClientRect()
      window.stops.set(e, {
        ring: rings.some((s) => (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none"),
        shown: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
      })
    }, true)
    window.controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((e) =>
      !e.disabled && e.tabIndex >= 0 && e.type !== "hidden" && e.checkVisibility({ visibilityProperty: true }))
    return window.controls.length
  })
  // Boxes that scroll are stops too; the first key more reads the last stop.
  for (let i = 0; i < controls + 10; i++) await page.keyboard.press("Tab")
  return page.evaluate(() => {
    const tag = (e) => e.outerHTML.slice(0, 120)
    const group = (e) => e.type === "radio" && e.name // of radio buttons one is a stop
    const reached = new Set([...window.stops.keys()].map((e) => group(e) || e))
    const faults = window.controls.filter((e) => !reached.has(group(e) || e)).map((e) => `never reached by the tabulator: ${tag(e)}`)
    for (const [e, stop] of window.stops) {
      if (!stop.ring) faults.push(`no focus ring: ${tag(e)}`)
      if (!stop.shown) faults.push(`focus out of sight: ${tag(e)}`)
    }
    return faults.slice(0, 5)
  })
}

// tame finds text of records that became more than text.
export async function tame(page) {
  return page.evaluate(() => {
    const faults = []
    const all = [...document.querySelectorAll("*")]
    for (const e of all) {
      if (e.localName === "x-hostile") faults.push("an element was made of text")
      for (const a of e.attributes) {
        if (/^on/i.test(a.name)) faults.push(`a handler: ${e.outerHTML.slice(0, 120)}`)
        if (["href", "src", "action", "formaction", "data", "xlink:href"].includes(a.name)) {
          const to = new URL(a.value, location.href)
          if (to.protocol !== location.protocol || to.host !== location.host) faults.push(`leads to ${to.href.slice(0, 120)}: ${e.outerHTML.slice(0, 120)}`)
        }
      }
    }
    // A drawing has titles of its own.
    if (all.filter((e) => [HTMLHtmlElement, HTMLHeadElement, HTMLBodyElement, HTMLTitleElement].some((k) => e instanceof k)).length !== 4) faults.push("the page has no longer one head, body and title")
    const raw = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
    const walk = document.createTreeWalker(document, NodeFilter.SHOW_TEXT)
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const at = n.data.search(raw)
      if (at >= 0 && !["SCRIPT", "STYLE"].includes(n.parentNode.nodeName)) faults.push(`a control character U+${n.data.codePointAt(at).toString(16)} in ${n.parentNode.outerHTML.slice(0, 160)}`)
    }
    for (const e of all) {
      for (const a of e.attributes) if (raw.test(a.value) && !["value", "href"].includes(a.name)) faults.push(`a control character in attribute ${a.name} of ${e.outerHTML.slice(0, 120)}`)
    }
    return [...new Set(faults)].slice(0, 10)
  })
}
