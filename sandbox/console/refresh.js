/** Exchanges the parts of the page that change, every few seconds while it is looked at. */
const PERIOD_MS = 3_000;

/** Focus, a selection or an open detail in a part means that somebody is busy there. */
function isInUse(part) {
  const selection = document.getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && part.contains(selection.anchorNode);
  return part.contains(document.activeElement) || isSelected || part.querySelector("details[open]") !== null;
}

async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (next !== null && !isInUse(part) && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes);
  }
}

async function keepFresh() {
  // The console may be restarting; the next round asks again.
  if (!document.hidden) await refresh().catch(() => undefined);
  setTimeout(keepFresh, PERIOD_MS);
}

setTimeout(keepFresh, PERIOD_MS);
