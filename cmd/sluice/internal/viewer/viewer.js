// What pages cannot do by themselves: keys, the theme, and figures that go on while files are indexed.
"use strict";

const themes = ["auto", "light", "dark"];

// theme is the one of this page, which the server has set by a cookie that is kept longer than the server and its port.
function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

function paint(chosen) {
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  document.cookie = `sluice-theme=${chosen}; path=/; max-age=31536000; samesite=strict`;
}

document.documentElement.classList.add("has-script");

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  button.addEventListener("click", () => {
    paint(themes[(themes.indexOf(theme()) + 1) % themes.length]);
    button.textContent = "Theme: " + theme();
  });
  const help = document.getElementById("help");
  const keys = document.getElementById("keys");
  keys.addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => press(event, help));
  addEventListener("pageshow", () => document.querySelectorAll("form :disabled").forEach((field) => { field.disabled = false; })); // that shorten has
  document.addEventListener("click", (event) => copy(event.target.closest("[data-copy]")));
  document.addEventListener("submit", (event) => shorten(event.target));
  if (location.hash === "#search") search();
  else target()?.focus(); // the row that one comes back from
  if (document.body.dataset.live) setTimeout(refresh, 300, 300);
});

// press does what a key stands for, but in fields and with other keys held.
function press(event, help) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target.closest("input, select, textarea")) return;
  const follow = (link) => link && (link.click(), true);
  const rows = [...document.querySelectorAll(".rows .at")];
  const step = (by) => {
    if (!rows.length) return follow(document.querySelector(by > 0 ? "a[rel=next]" : "a[rel=prev]"));
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))].focus();
    return true;
  };
  const turn = (by) => !scrolls(event.target) && follow(document.querySelector(by > 0 ? "a[rel=next]" : "a[rel=prev]"));
  const done = {
    "j": () => step(1), "k": () => step(-1), "ArrowRight": () => turn(1), "ArrowLeft": () => turn(-1),
    "u": () => follow(document.querySelector("a[rel=up]")), "?": () => (help.showModal(), true), "/": () => search(),
  }[event.key];
  const tab = /^[1-9]$/.test(event.key) && document.querySelectorAll(".tabs a")[event.key - 1];
  if (tab ? follow(tab) : done && done()) event.preventDefault();
}

// target is the link that the address leads to.
function target() {
  const at = document.getElementById(location.hash.slice(1));
  return at?.matches("a") ? at : null;
}

// copy puts what a button stands for on the clipboard.
async function copy(button) {
  if (!button) return;
  const label = button.textContent;
  try {
    const answer = await fetch(button.dataset.copy);
    if (!answer.ok) throw new Error();
    await navigator.clipboard.writeText(await answer.text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

// shorten leaves fields that are empty out of the address that a form leads to.
function shorten(form) {
  for (const field of form.elements) if (field.name && !field.value && field.type !== "hidden") field.disabled = true;
}

// scrolls tells whether an element is one that arrows move sideways.
function scrolls(element) {
  const box = element.closest("[role=region]");
  return box && box.scrollWidth > box.clientWidth;
}

// search goes to the field for it, on this page or on that of the rows.
function search() {
  const field = document.getElementById("search");
  if (field) field.focus(), field.select();
  else location.href = document.querySelector(".top a[href^=rows]").getAttribute("href") + "#search";
  return true;
}

// refresh asks for the page again, less and less often, and puts in what has changed where nobody is at work.
async function refresh(wait) {
  let page;
  try {
    const answer = await fetch(location.href);
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return; // the server has ended
  }
  for (const id of ["progress", "figures", "files", "facets", "results", "pager", "walk"]) {
    const old = document.getElementById(id), now = page.getElementById(id);
    if (old && now && !old.contains(document.activeElement) && old.innerHTML !== now.innerHTML) old.replaceWith(document.importNode(now, true));
  }
  if (page.body.dataset.live) setTimeout(refresh, wait, Math.min(2000, wait * 1.5));
  else delete document.body.dataset.live;
}
