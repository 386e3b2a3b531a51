import { html } from "hono/html";
import type { RunPage } from "../inngest/reports.ts";
import type { ActiveFault } from "../kit/faults.ts";
import type { LoggedRequest } from "../kit/journal.ts";
import type { ShownSetting } from "../kit/settings.ts";
import { hiddenInputs, type Markup, mark, pluralize } from "../kit/ui/page.ts";
import type { Result, Scenario, StandInSnapshot } from "./clients.ts";
import { capitalized, chip, clockTime, consolePage, humanize, lastUpdated, live } from "./frame.ts";
import { runList } from "./run-pages.ts";
import type { ServiceEntry } from "./server.ts";

type ProbedEntry = ServiceEntry & { isUp: boolean };

/** A service and, if it is up and has a control API, its counts and faults. */
interface EntryStatus {
  entry: ProbedEntry;
  snapshot: Result<StandInSnapshot> | undefined;
}

/** The overview: which services are up, their counts and active faults, and the newest durable runs. */
export function overviewPage(statuses: EntryStatus[], runs: Result<RunPage> | undefined): Markup {
  const down = statuses.filter(({ entry }) => !entry.isUp).length;
  const faults = statuses.reduce((sum, { snapshot }) => sum + faultCount(snapshot), 0);
  return consolePage(
    "Stand-ins",
    "stand-ins",
    html`
<h1 class="title">Local stand-ins</h1>
<p class="lead">These servers speak the same protocols as the real services. Nothing leaves this machine.</p>
${live("summary", html`<p class="summary">${summary(statuses.length, down, faults)}</p>${lastUpdated("/")}`)}
${live("services", html`<ul class="services">${statuses.map(entryItem)}</ul>`)}
${runs === undefined ? "" : newestRuns(runs)}`,
  );
}

function summary(all: number, down: number, faults: number): string {
  const health =
    down === 0 ? "All services are up." : `${down} of ${all} ${down === 1 ? "isn’t" : "aren’t"} responding.`;
  if (faults === 0) return `${health} No active faults.`;
  return `${health} ${pluralize(faults, "active faults")}.`;
}

function entryItem({ entry, snapshot }: EntryStatus): Markup {
  const name = entry.visit ? html`<a class="link" href="${entry.url}">${entry.name}</a>` : html`${entry.name}`;
  const faults = faultCount(snapshot);
  return html`<li class="card service"><span class="service-mark">${mark(22)}</span>
<div><h2 class="h3">${name}</h2><p class="muted small">${entry.what}</p><p class="muted small num">${entry.url}</p>
${snapshot?.ok ? html`<p class="small num counts">${countsOf(snapshot.value.counts)}</p>` : ""}
${snapshot !== undefined && !snapshot.ok && entry.isUp ? html`<p class="small bad">${snapshot.problem}</p>` : ""}
${entry.control === undefined ? "" : html`<p class="small"><a class="link" href="/stand-ins/${entry.id}">Faults and calls<span class="sr"> for ${entry.name}</span></a></p>`}
${entry.runs === undefined ? "" : html`<p class="small"><a class="link" href="/runs">Durable runs</a></p>`}</div>
<span class="chips">${entry.isUp ? chip("Up", "good") : chip("Not responding", "bad")}${faults > 0 ? chip(`${pluralize(faults, "active faults")}`, "bad") : ""}</span></li>`;
}

function countsOf(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => pluralize(count, humanize(name)))
    .join(", ");
}

function faultCount(snapshot: Result<StandInSnapshot> | undefined): number {
  return snapshot?.ok ? snapshot.value.faults.length : 0;
}

function newestRuns(runs: Result<RunPage>): Markup {
  return html`<section class="part" aria-labelledby="newest-title"><h2 id="newest-title" class="h3">Newest durable runs</h2>
${live("newest", runList(runs))}<p class="small"><a class="link" href="/runs">All durable runs</a></p></section>`;
}

export interface StandInView {
  entry: ProbedEntry;
  snapshot: Result<StandInSnapshot>;
  scenarios: Scenario[];
  settings: ShownSetting[];
  calls: LoggedRequest[];
  /** Proves that a form came from this page. */
  token: string;
  /** The group of predefined faults that is expanded. */
  group: string | undefined;
  note: { isProblem: boolean; text: string | undefined };
}

/** A stand-in's faults, settings and latest calls, with forms to change faults and settings. */
export function standInPage(view: StandInView): Markup {
  const { entry, snapshot, settings, note } = view;
  return consolePage(
    entry.name,
    "stand-ins",
    html`<p class="up"><a class="link" href="/">Stand-ins</a></p>
<h1 class="title">${entry.name}</h1>
<p class="lead">${entry.what}</p>
${note.text === undefined ? "" : html`<p class="${note.isProblem ? "note-failed" : "note-done"}" role="${note.isProblem ? "alert" : "status"}">${note.text}</p>`}
${live("state", html`<p class="chips state">${entry.isUp ? chip("Up", "good") : chip("Not responding", "bad")}</p>${lastUpdated(`/stand-ins/${entry.id}`)}`)}
<div class="columns"><div>
<section class="part" aria-labelledby="on-title"><h2 id="on-title" class="h3">Active faults</h2>${live("on", activeFaultList(view))}</section>
<section class="part" aria-labelledby="prepared-title"><h2 id="prepared-title" class="h3">Available faults</h2>${faultGroups(view)}</section>
${settings.length === 0 ? "" : settingsForm(view)}
</div><section class="part" aria-labelledby="calls-title"><h2 id="calls-title" class="h3">Latest calls</h2>
${live("calls", snapshot.ok ? callList(view.calls) : html`<p class="note-failed">${snapshot.problem}</p>`)}</section></div>`,
  );
}

function activeFaultList({ entry, snapshot, token }: StandInView): Markup {
  if (!snapshot.ok) return html`<p class="muted">${snapshot.problem}</p>`;
  const { faults } = snapshot.value;
  if (faults.length === 0) return html`<p class="muted">None. Every call gets a normal response.</p>`;
  return html`<ul class="card rows">${faults.map((fault) => activeFault(entry, fault, token))}</ul>
${faults.length > 1 ? form(entry, "off", token, { fault: "all" }, html`<button class="btn btn-2">Turn off all</button>`) : ""}`;
}

function activeFault(entry: ServiceEntry, fault: ActiveFault, token: string): Markup {
  const name = fault.scenario ?? "Custom fault";
  const conditions = Object.entries(fault.where ?? {}).map(([label, text]) => `${label} ${text}`);
  return html`<li class="switch-row"><div><b>${name}</b><p class="muted small">${[fault.match, ...conditions, frequency(fault)].join(", ")}</p></div>
${form(entry, "off", token, { fault: fault.id }, html`<button class="btn btn-2 btn-s" aria-label="Turn off ${name}">Turn off</button>`)}</li>`;
}

function frequency({ forever, times, skip, every = 1 }: ActiveFault): string {
  const each = every === 1 ? "" : `every ${every} calls, `;
  const after = skip === 0 ? "" : `after ${pluralize(skip, "more calls")}, `;
  const more = times === 1 ? "once more" : pluralize(times, "more times");
  return `${after}${each}${forever ? "until turned off" : more}`;
}

function faultGroups({ entry, scenarios, token, group }: StandInView): Markup {
  if (scenarios.length === 0) return html`<p class="muted">None.</p>`;
  return html`${[...Map.groupBy(scenarios, ({ match }) => match)].map(([name, rows], index) => {
    return html`<details class="card group" id="group-${index}" ${name === group ? "open" : ""}><summary>${name}<span class="muted small"> ${pluralize(rows.length, "faults")}</span></summary>
<ul class="rows">${rows.map((scenario) => faultItem(entry, scenario, name, token))}</ul></details>`;
  })}`;
}

function faultItem(entry: ServiceEntry, { name, about, isOn }: Scenario, group: string, token: string): Markup {
  const button = (times: string, text: string) => {
    const body = html`<button class="btn btn-2 btn-s" aria-label="${text}: ${name}">${text}</button>`;
    return form(entry, "on", token, { scenario: name, times, group }, body);
  };
  return html`<li class="switch-row"><div><b>${name}</b> ${isOn ? chip("On", "bad") : ""}<p class="muted small">${about}</p></div>
<div class="pair">${button("1", "Once")}${button("forever", "Keep on")}</div></li>`;
}

function settingsForm({ entry, settings, token }: StandInView): Markup {
  const fields = html`${settings.map(settingField)}<button class="btn btn-2">Save settings</button>`;
  return html`<section class="part" aria-labelledby="settings-title"><h2 id="settings-title" class="h3">Settings</h2>
<div class="card settings">${form(entry, "settings", token, {}, fields)}</div></section>`;
}

function settingField(setting: ShownSetting): Markup {
  const { name, about, value, type } = setting;
  const id = `setting-${name}`;
  const common = html`id="${id}" name="${name}" aria-describedby="${id}-help"`;
  const options = type === "choice" ? setting.options : ["true", "false"];
  const shown = options.map(
    (item) => html`<option value="${item}" ${item === String(value) ? "selected" : ""}>${optionText(item)}</option>`,
  );
  const control =
    type === "number"
      ? html`<input ${common} type="number" step="any" value="${value}">`
      : html`<select ${common}>${shown}</select>`;
  return html`<div class="field"><label for="${id}">${capitalized(humanize(name))}</label>${control}<p id="${id}-help" class="muted small">${about}</p></div>`;
}

function optionText(option: string): string {
  return { true: "Yes", false: "No" }[option] ?? capitalized(option);
}

function callList(calls: LoggedRequest[]): Markup {
  if (calls.length === 0) return html`<p class="muted">No calls yet.</p>`;
  return html`<ul class="card rows">${calls.map(callItem)}</ul>`;
}

function callItem({ at, method, path, status, tookMs, labels = {}, fault, created }: LoggedRequest): Markup {
  const tone = status === 0 || status >= 500 ? "bad" : status >= 400 ? "plain" : "good";
  const facts = [
    labels.account,
    labels.title ?? labels.keyword,
    labels.to,
    labels.subject,
    created && `created ${created}`,
  ];
  const known = [...facts.filter(Boolean), `${tookMs} ms`];
  return html`<li class="call-row"><p>${clockTime(at)} <span class="call">${method} ${path}</span> ${chip(status === 0 ? "Cut" : String(status), tone)}${fault === undefined ? "" : chip(fault, "bad")}</p>
<p class="muted small">${known.join(", ")}</p></li>`;
}

function form(
  entry: ServiceEntry,
  action: string,
  token: string,
  values: Record<string, string>,
  body: Markup,
): Markup {
  return html`<form method="post" action="/stand-ins/${entry.id}/${action}">${hiddenInputs({ token, ...values })}${body}</form>`;
}
