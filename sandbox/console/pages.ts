import { html } from "hono/html";
import { type Markup, mark } from "../kit/look/page.ts";
import type { Asked, Fault, LoggedCall, RunPage, Scenario, Setting, Standing } from "./clients.ts";
import { chip, clockTime, consolePage, counted, inWords, live, madeAt, type Sighting } from "./frame.ts";
import { runItem } from "./run-pages.ts";

/** A place with how it stands, where it can be asked. */
interface Seen {
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

/** Everything the page of a stand-in shows. */
export interface StandInView {
  place: Sighting;
  standing: Asked<Standing>;
  scenarios: Scenario[];
  settings: Setting[];
  calls: LoggedCall[];
  /** Proves that a form came from this page. */
  token: string;
  /** The group of prepared faults that is open. */
  group: string | undefined;
  /** What became of the last form. */
  note: { isProblem: boolean; text: string } | undefined;
}

/** A stand-in's faults, settings and latest calls, with forms to change the first two. */
export function standInPage(view: StandInView): Markup {
  const { place, standing, settings, note } = view;
  return consolePage(
    place.name,
    "stand-ins",
    html`<p class="up"><a class="link" href="/">Stand-ins</a></p>
<h1 class="title">${place.name}</h1>
<p class="lead">${place.what}</p>
${note === undefined ? "" : html`<p class="${note.isProblem ? "note-failed" : "note-done"}" role="${note.isProblem ? "alert" : "status"}">${note.text}</p>`}
${live("state", html`<p class="chips state">${place.isUp ? chip("Up", "good") : chip("Not answering", "bad")}</p>${madeAt(`/stand-ins/${place.id}`)}`)}
<div class="columns"><div>
<section class="part" aria-labelledby="on-title"><h2 id="on-title" class="h3">Faults that are on</h2>${live("on", activeFaults(view))}</section>
<section class="part" aria-labelledby="prepared-title"><h2 id="prepared-title" class="h3">Prepared faults</h2>${preparedFaults(view)}</section>
${settings.length === 0 ? "" : settingsForm(view)}
</div><section class="part" aria-labelledby="calls-title"><h2 id="calls-title" class="h3">Latest calls</h2>
${live("calls", standing.ok ? callList(view.calls) : html`<p class="note-failed">${standing.problem}</p>`)}</section></div>`,
  );
}

function activeFaults({ place, standing, token }: StandInView): Markup {
  if (!standing.ok) return html`<p class="muted">${standing.problem}</p>`;
  const { faults } = standing.value;
  if (faults.length === 0) return html`<p class="muted">None. Everything is answered as it should be.</p>`;
  return html`<ul class="card rows">${faults.map((fault) => activeFault(place, fault, token))}</ul>
${faults.length > 1 ? form(place, "off", token, { fault: "all" }, html`<button class="btn btn-2">Switch all off</button>`) : ""}`;
}

function activeFault(place: Sighting, fault: Fault, token: string): Markup {
  const name = fault.scenario ?? "A fault of its own";
  const aim = Object.entries(fault.where ?? {}).map(([label, text]) => `${label} ${text}`);
  return html`<li class="switch-row"><div><b>${name}</b><p class="muted small">${[fault.match, ...aim, howOften(fault)].join(", ")}</p></div>
${form(place, "off", token, { fault: fault.id }, html`<button class="btn btn-2 btn-s" aria-label="Switch off ${name}">Switch off</button>`)}</li>`;
}

function howOften({ forever, times, skip, every }: Fault): string {
  const each = every === undefined || every === 1 ? "" : `one in ${every}, `;
  const after = skip === 0 ? "" : `after ${counted(skip, "more calls")}, `;
  return `${after}${each}${forever ? "until it is switched off" : counted(times, "more times").replace("1 more time", "once more")}`;
}

function preparedFaults({ place, scenarios, token, group }: StandInView): Markup {
  if (scenarios.length === 0) return html`<p class="muted">None.</p>`;
  const groups = [...new Set(scenarios.map(({ match }) => match ?? "Any call"))];
  return html`${groups.map((name, index) => {
    const rows = scenarios.filter(({ match }) => (match ?? "Any call") === name);
    return html`<details class="card group" id="group-${index}" ${name === group ? "open" : ""}><summary>${name}<span class="muted small"> ${counted(rows.length, "faults")}</span></summary>
<ul class="rows">${rows.map((scenario) => prepared(place, scenario, name, token))}</ul></details>`;
  })}`;
}

function prepared(place: Sighting, { name, about, isOn }: Scenario, group: string, token: string): Markup {
  const button = (times: string, text: string) =>
    form(
      place,
      "on",
      token,
      { scenario: name, times, group },
      html`<button class="btn btn-2 btn-s" aria-label="${text}: ${name}">${text}</button>`,
    );
  return html`<li class="switch-row"><div><b>${name}</b> ${isOn ? chip("On", "bad") : ""}<p class="muted small">${about}</p></div>
<div class="pair">${button("1", "Once")}${button("forever", "Keep on")}</div></li>`;
}

function settingsForm({ place, settings, token }: StandInView): Markup {
  const fields = html`${settings.map(settingField)}<button class="btn btn-2">Save settings</button>`;
  return html`<section class="part" aria-labelledby="settings-title"><h2 id="settings-title" class="h3">Settings</h2>
<div class="card settings">${form(place, "settings", token, {}, fields)}</div></section>`;
}

function settingField({ name, about, value, options }: Setting): Markup {
  const id = `setting-${name}`;
  const help = about === "" ? html`` : html`<p id="${id}-help" class="muted small">${about}</p>`;
  const described = about === "" ? "" : html`aria-describedby="${id}-help"`;
  return html`<div class="field"><label for="${id}">${capitalised(inWords(name))}</label>${control()}${help}</div>`;

  function control(): Markup {
    if (options !== undefined || typeof value === "boolean") {
      const all = options ?? ["true", "false"];
      return html`<select id="${id}" name="${name}" ${described}>${all.map((one) => html`<option value="${one}" ${one === String(value) ? "selected" : ""}>${inOption(one)}</option>`)}</select>`;
    }
    const kind = typeof value === "string" ? "text" : "number";
    return html`<input id="${id}" name="${name}" type="${kind}" step="any" value="${value ?? ""}" ${value === null ? html`placeholder="No limit"` : ""} ${described}>`;
  }
}

function inOption(option: string): string {
  return { true: "Yes", false: "No" }[option] ?? capitalised(option);
}

function callList(calls: LoggedCall[]): Markup {
  if (calls.length === 0) return html`<p class="muted">No call yet.</p>`;
  return html`<ul class="card rows">${calls.map(callItem)}</ul>`;
}

function callItem({ at, method, path, status, tookMs, labels = {}, fault, created }: LoggedCall): Markup {
  const mood = status === 0 || status >= 500 ? "bad" : status >= 400 ? "plain" : "good";
  const facts = [labels.account, labels.title ?? labels.keyword, labels.to, labels.subject];
  const made = created === undefined ? [] : [`made ${created}`];
  const known = [...facts.filter((fact) => fact !== undefined && fact !== ""), ...made, `${tookMs} ms`];
  return html`<li class="call-row"><p>${clockTime(at)} <span class="call">${method} ${path}</span> ${chip(status === 0 ? "Cut" : String(status), mood)}${fault === undefined ? "" : chip(fault, "bad")}</p>
<p class="muted small">${known.join(", ")}</p></li>`;
}

function form(place: Sighting, action: string, token: string, values: Record<string, string>, body: Markup): Markup {
  const hidden = Object.entries({ token, ...values });
  return html`<form method="post" action="/stand-ins/${place.id}/${action}">${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${body}</form>`;
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
