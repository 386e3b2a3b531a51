/** Replaces the changing parts of the page every few seconds while the page is visible. */
const PERIOD_MS = 3_000;

/** A part is in use if it contains the focus, a selection or an open detail. */
function isInUse(part) {
  const selection = document.getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && part.contains(selection.anchorNode);
  return part.contains(document.activeElement) || isSelected || part.querySelector("details[open]") !== null;
}

async function refresh() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (next !== null && !isInUse(part) && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes);
  }
}

async function keepFresh() {
  // The console may be restarting; the next round tries again.
  if (!document.hidden) await refresh().catch(() => undefined);
  setTimeout(keepFresh, PERIOD_MS);
}

setTimeout(keepFresh, PERIOD_MS);
