// What the report cannot do by itself: the theme that is chosen on it is that of all pages of the viewer.
"use strict";

document.addEventListener("change", (event) => {
  if (event.target.name !== "theme") return;
  const chosen = ["light", "dark"].find((name) => event.target.classList.contains("theme-" + name)) ?? "auto";
  document.cookie = `sluice-theme=${chosen}; path=/; max-age=31536000; samesite=strict`;
});
