import { html } from "hono/html";
import { lookRoutes, type Markup, mark, PAGE_HEADERS, page, readStyle } from "../kit/look/page.ts";
import { createApp, type Handle, serve } from "../kit/serve.ts";

/** One place of the local environment. `probe` is asked for a sign of life; any answer below 500 counts. */
export interface Place {
  name: string;
  what: string;
  url: string;
  probe: string;
  /** A page for people stands at `url`. */
  visit: boolean;
}

export interface ConsoleOptions {
  host: string;
  port: number;
  places: Place[];
}

interface Sighting extends Place {
  isUp: boolean;
}

const PROBE_DEADLINE_MS = 1_500;

/** Starts the console: one page that links the stand-ins and shows which are up, and `GET /api/places` as JSON. */
export async function startConsole({ host, port, places }: ConsoleOptions): Promise<Handle> {
  const app = createApp();
  app.route("/__look", lookRoutes());
  app.get("/console.css", (c) =>
    c.body(readStyle(new URL("console.css", import.meta.url)), 200, { "content-type": "text/css; charset=utf-8" }),
  );
  app.get("/api/places", async (c) => c.json({ places: await lookAll(places) }));
  app.get("/", async (c) => c.html(consolePage(await lookAll(places)), 200, PAGE_HEADERS));
  return serve(app, { host, port });
}

function lookAll(places: Place[]): Promise<Sighting[]> {
  return Promise.all(places.map(async (place) => ({ ...place, isUp: await isUp(place.probe) })));
}

async function isUp(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_DEADLINE_MS), redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    // Refused, reset or silent: each of them is what "down" means here.
    return false;
  }
}

function consolePage(places: Sighting[]): Markup {
  const down = places.filter((place) => !place.isUp).length;
  return page({
    title: "Sandbox console",
    heading: { text: "Sandbox console", chip: "Local stand-ins" },
    styles: ["/console.css"],
    body: html`<main class="wrap">
<h1 class="title">What plays the outside world</h1>
<p class="lead">These are local stand-ins: they speak the real services’ protocols, and nothing leaves this machine.
${down === 0 ? "All of them are up." : `${down} of ${places.length} ${down === 1 ? "is" : "are"} not answering.`}
<a class="link" href="/">Look again</a></p>
<ul class="places">${places.map(placeItem)}</ul>
</main>`,
  });
}

function placeItem(place: Sighting): Markup {
  const state = place.isUp
    ? html`<span class="chip published">Up</span>`
    : html`<span class="chip failed">Not answering</span>`;
  const name = place.visit ? html`<a class="link" href="${place.url}">${place.name}</a>` : html`${place.name}`;
  return html`<li class="card place"><span class="place-mark">${mark(22)}</span>
<div><h2 class="h3">${name}</h2><p class="muted small">${place.what}</p><p class="muted small num">${place.url}</p></div>
${state}</li>`;
}
