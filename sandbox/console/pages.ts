import { html } from "hono/html";
import type { RunPage } from "../inngest/reports.ts";
import type { ActiveFault } from "../kit/faults.ts";
import type { LoggedRequest } from "../kit/journal.ts";
import { type Markup, mark } from "../kit/look/page.ts";
import type { ShownSetting } from "../kit/settings.ts";
import type { Result, Scenario, Standing } from "./clients.ts";
import { capitalized, chip, clockTime, consolePage, counted, inWords, live, madeAt } from "./frame.ts";
import { runList } from "./run-pages.ts";
import type { Place } from "./server.ts";

type ProbedPlace = Place & { isUp: boolean };

/** A place with how it stands, where that is known. */
interface Seen {
  place: ProbedPlace;
  standing: Result<Standing> | undefined;
}

/** All places: which are up, what they hold, which faults are on; and the newest durable runs. */
export function overviewPage(seen: Seen[], runs: Result<RunPage> | undefined): Markup {
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
  if (faults === 0) return `${health} No fault is on.`;
  return `${health} ${counted(faults, "faults")} ${faults === 1 ? "is" : "are"} on.`;
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

function faultCount(standing: Result<Standing> | undefined): number {
  return standing?.ok ? standing.value.faults.length : 0;
}

function newestRuns(runs: Result<RunPage>): Markup {
  return html`<section class="part" aria-labelledby="newest-title"><h2 id="newest-title" class="h3">Newest durable runs</h2>
${live("newest", runList(runs))}<p class="small"><a class="link" href="/runs">All durable runs</a></p></section>`;
}

/** Everything the page of a stand-in shows. */
export interface StandInView {
  place: ProbedPlace;
  standing: Result<Standing>;
  scenarios: Scenario[];
  settings: ShownSetting[];
  calls: LoggedRequest[];
  /** Proves that a form came from this page. */
  token: string;
  /** The group of prepared faults that is open. */
  group: string | undefined;
  /** What became of the last form, if one was sent. */
  note: { isProblem: boolean; text: string | undefined };
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
${note.text === undefined ? "" : html`<p class="${note.isProblem ? "note-failed" : "note-done"}" role="${note.isProblem ? "alert" : "status"}">${note.text}</p>`}
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

function activeFault(place: Place, fault: ActiveFault, token: string): Markup {
  const name = fault.scenario ?? "A fault of its own";
  const aim = Object.entries(fault.where ?? {}).map(([label, text]) => `${label} ${text}`);
  return html`<li class="switch-row"><div><b>${name}</b><p class="muted small">${[fault.match, ...aim, howOften(fault)].join(", ")}</p></div>
${form(place, "off", token, { fault: fault.id }, html`<button class="btn btn-2 btn-s" aria-label="Switch off ${name}">Switch off</button>`)}</li>`;
}

function howOften({ forever, times, skip, every = 1 }: ActiveFault): string {
  const each = every === 1 ? "" : `one in ${every}, `;
  const after = skip === 0 ? "" : `after ${counted(skip, "more calls")}, `;
  const more = times === 1 ? "once more" : counted(times, "more times");
  return `${after}${each}${forever ? "until it is switched off" : more}`;
}

function preparedFaults({ place, scenarios, token, group }: StandInView): Markup {
  if (scenarios.length === 0) return html`<p class="muted">None.</p>`;
  return html`${[...Map.groupBy(scenarios, ({ match }) => match)].map(([name, rows], index) => {
    return html`<details class="card group" id="group-${index}" ${name === group ? "open" : ""}><summary>${name}<span class="muted small"> ${counted(rows.length, "faults")}</span></summary>
<ul class="rows">${rows.map((scenario) => prepared(place, scenario, name, token))}</ul></details>`;
  })}`;
}

function prepared(place: Place, { name, about, isOn }: Scenario, group: string, token: string): Markup {
  const button = (times: string, text: string) => {
    const body = html`<button class="btn btn-2 btn-s" aria-label="${text}: ${name}">${text}</button>`;
    return form(place, "on", token, { scenario: name, times, group }, body);
  };
  return html`<li class="switch-row"><div><b>${name}</b> ${isOn ? chip("On", "bad") : ""}<p class="muted small">${about}</p></div>
<div class="pair">${button("1", "Once")}${button("forever", "Keep on")}</div></li>`;
}

function settingsForm({ place, settings, token }: StandInView): Markup {
  const fields = html`${settings.map(settingField)}<button class="btn btn-2">Save settings</button>`;
  return html`<section class="part" aria-labelledby="settings-title"><h2 id="settings-title" class="h3">Settings</h2>
<div class="card settings">${form(place, "settings", token, {}, fields)}</div></section>`;
}

function settingField(setting: ShownSetting): Markup {
  const { name, about, value, type } = setting;
  const id = `setting-${name}`;
  const common = html`id="${id}" name="${name}" aria-describedby="${id}-help"`;
  const options = type === "choice" ? setting.options : ["true", "false"];
  const shown = options.map(
    (one) => html`<option value="${one}" ${one === String(value) ? "selected" : ""}>${optionText(one)}</option>`,
  );
  const control =
    type === "number"
      ? html`<input ${common} type="number" step="any" value="${value}">`
      : html`<select ${common}>${shown}</select>`;
  return html`<div class="field"><label for="${id}">${capitalized(inWords(name))}</label>${control}<p id="${id}-help" class="muted small">${about}</p></div>`;
}

function optionText(option: string): string {
  return { true: "Yes", false: "No" }[option] ?? capitalized(option);
}

function callList(calls: LoggedRequest[]): Markup {
  if (calls.length === 0) return html`<p class="muted">No call yet.</p>`;
  return html`<ul class="card rows">${calls.map(callItem)}</ul>`;
}

function callItem({ at, method, path, status, tookMs, labels = {}, fault, created }: LoggedRequest): Markup {
  const mood = status === 0 || status >= 500 ? "bad" : status >= 400 ? "plain" : "good";
  const facts = [
    labels.account,
    labels.title ?? labels.keyword,
    labels.to,
    labels.subject,
    created && `made ${created}`,
  ];
  const known = [...facts.filter(Boolean), `${tookMs} ms`];
  return html`<li class="call-row"><p>${clockTime(at)} <span class="call">${method} ${path}</span> ${chip(status === 0 ? "Cut" : String(status), mood)}${fault === undefined ? "" : chip(fault, "bad")}</p>
<p class="muted small">${known.join(", ")}</p></li>`;
}

function form(place: Place, action: string, token: string, values: Record<string, string>, body: Markup): Markup {
  const hidden = Object.entries({ token, ...values });
  return html`<form method="post" action="/stand-ins/${place.id}/${action}">${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${body}</form>`;
}
