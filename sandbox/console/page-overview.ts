import { html } from "hono/html";
import { type Markup, mark } from "../kit/look/page.ts";
import type { Asked } from "./ask.ts";
import type { Standing } from "./control-client.ts";
import { chip, consolePage, counted, inWords, live, madeAt } from "./frame.ts";
import { runItem } from "./page-runs.ts";
import type { Sighting } from "./places.ts";
import type { RunPage } from "./runs-client.ts";

/** A place with how it stands, where it can be asked. */
export interface Seen {
  place: Sighting;
  standing: Asked<Standing> | undefined;
}

/** All places: which are up, what they hold, which faults are on; and the newest durable runs. */
export function overviewPage(seen: Seen[], runs: Asked<RunPage> | undefined): Markup {
  const down = seen.filter(({ place }) => !place.isUp).length;
  const faults = seen.reduce((sum, { standing }) => sum + faultCount(standing), 0);
  return consolePage(
    "Stand-ins",
    "stand-ins",
    html`
<h1 class="title">What plays the outside world</h1>
<p class="lead">These are local stand-ins: they speak the real services’ protocols, and nothing leaves this machine.</p>
${live("summary", html`<p class="summary">${summary(seen.length, down, faults)}</p>${madeAt("/")}`)}
${live("places", html`<ul class="places">${seen.map(placeItem)}</ul>`)}
${runs === undefined ? "" : newestRuns(runs)}`,
  );
}

function summary(all: number, down: number, faults: number): string {
  const health = down === 0 ? "All of them are up." : `${down} of ${all} ${down === 1 ? "does" : "do"} not answer.`;
  return `${health} ${faults === 0 ? "No fault is on." : `${counted(faults, "faults")} ${faults === 1 ? "is" : "are"} on.`}`;
}

function placeItem({ place, standing }: Seen): Markup {
  const name = place.visit ? html`<a class="link" href="${place.url}">${place.name}</a>` : html`${place.name}`;
  const faults = faultCount(standing);
  return html`<li class="card place"><span class="place-mark">${mark(22)}</span>
<div><h2 class="h3">${name}</h2><p class="muted small">${place.what}</p><p class="muted small num">${place.url}</p>
${standing?.ok ? html`<p class="small num counts">${countsOf(standing.value.counts)}</p>` : ""}
${standing !== undefined && !standing.ok && place.isUp ? html`<p class="small bad">${standing.problem}</p>` : ""}
${place.control === undefined ? "" : html`<p class="small"><a class="link" href="/stand-ins/${place.id}">Faults and calls<span class="sr"> of ${place.name}</span></a></p>`}
${place.runs === undefined ? "" : html`<p class="small"><a class="link" href="/runs">Durable runs</a></p>`}</div>
<span class="chips">${place.isUp ? chip("Up", "good") : chip("Not answering", "bad")}${faults > 0 ? chip(`${counted(faults, "faults")} on`, "bad") : ""}</span></li>`;
}

function countsOf(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => counted(count, inWords(name)))
    .join(", ");
}

function faultCount(standing: Asked<Standing> | undefined): number {
  return standing?.ok ? standing.value.faults.length : 0;
}

function newestRuns(runs: Asked<RunPage>): Markup {
  const list = runs.ok
    ? html`<ul class="card rows">${runs.value.runs.map(runItem)}</ul>${runs.value.runs.length === 0 ? html`<p class="muted">No function has run yet.</p>` : ""}`
    : html`<p class="note-failed">The durable executor tells nothing. ${runs.problem}</p>`;
  return html`<section class="part" aria-labelledby="newest-title"><h2 id="newest-title" class="h3">Newest durable runs</h2>
${live("newest", list)}<p class="small"><a class="link" href="/runs">All durable runs</a></p></section>`;
}
