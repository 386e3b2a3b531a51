import { html } from "hono/html";
import type { RunDetail, RunPage, RunReport } from "../inngest/reports.ts";
import type { Markup } from "../kit/look/page.ts";
import type { Result } from "./clients.ts";
import { capitalized, chip, clockTime, consolePage, counted, dayTime, live, madeAt } from "./frame.ts";

const STATUSES = ["running", "completed", "failed"];

/** The runs, newest first; `query` holds the filter and the place in the list. */
export function runsPage(runs: Result<RunPage>, query: Record<string, string>): Markup {
  const here = `/runs?${new URLSearchParams(query)}`;
  return consolePage(
    "Durable runs",
    "runs",
    html`
<h1 class="title">Durable runs</h1>
<p class="lead">Each run of a durable function, with its steps. What fails is tried again by the executor.</p>
<nav class="filters" aria-label="Status">${[undefined, ...STATUSES].map((status) => filterLink(status, query.status))}</nav>
${live("runs", html`${madeAt(here)}${runList(runs)}`)}
${pageLinks(runs, query)}`,
  );
}

function filterLink(status: string | undefined, current: string | undefined): Markup {
  const href = status === undefined ? "/runs" : `/runs?status=${status}`;
  const text = status === undefined ? "All" : capitalized(status);
  return html`<a class="btn btn-2" href="${href}" ${status === current ? html`aria-current="true"` : ""}>${text}</a>`;
}

/** A list of runs, or why there is none to show. */
export function runList(read: Result<RunPage>): Markup {
  if (!read.ok)
    return html`<p class="note-failed" role="alert">The durable executor tells nothing. ${read.problem}</p>`;
  const { runs } = read.value;
  if (runs.length === 0) return html`<p class="card empty muted">No run to show.</p>`;
  return html`<ul class="card rows">${runs.map(runItem)}</ul>`;
}

function runItem(run: RunReport): Markup {
  const done = run.steps.filter(({ state }) => state !== "pending").length;
  const facts = [
    `${done} of ${counted(run.steps.length, "steps")}`,
    ...(run.attempt > 1 ? [`attempt ${run.attempt}`] : []),
    ...(run.endedAt === null ? [] : [`took ${spanOf(run.startedAt, run.endedAt)}`]),
  ];
  return html`<li class="run-row">
<p class="run-name"><a class="link" href="/runs/${run.id}">${run.functionId}</a> ${statusChip(run.status)}</p>
<p class="muted small num">${clockTime(run.startedAt)}, ${run.event}, ${facts.join(", ")}</p>
${run.error === null ? "" : html`<p class="small bad">${run.error}</p>`}</li>`;
}

/** The status of a run or the state of a step. */
function statusChip(status: string): Markup {
  const good = status === "completed" || status === "done";
  return chip(capitalized(status), status === "failed" ? "bad" : good ? "good" : "plain");
}

/** `1.2 s`, `3 min 20 s`, or a day when it is long. */
function spanOf(startedAt: string, endedAt: string): string {
  const seconds = Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function pageLinks(runs: Result<RunPage>, { cursor, status }: Record<string, string>): Markup {
  const next = runs.ok ? runs.value.nextCursor : null;
  const to = (more: Record<string, string>) => `/runs?${new URLSearchParams({ ...(status && { status }), ...more })}`;
  return html`<nav class="filters" aria-label="Pages">
${cursor === undefined ? "" : html`<a class="btn btn-2" href="${to({})}">Newest runs</a>`}
${next === null ? "" : html`<a class="btn btn-2" href="${to({ cursor: next })}">Older runs</a>`}</nav>`;
}

const KINDS: Record<string, string> = { run: "runs code", sleep: "sleeps" };

/** One run: what started it, its steps with their attempts and errors, what it returned. */
export function runPage(id: string, run: Result<RunDetail>): Markup {
  const body = run.ok
    ? html`<h1 class="title run-title">${run.value.functionId}</h1>${live("run", html`${madeAt(`/runs/${id}`)}${facts(run.value)}`)}
<section class="part" aria-labelledby="steps-title"><h2 id="steps-title" class="h3">Steps</h2>${live("steps", steps(run.value))}</section>
<section class="part" aria-labelledby="data-title"><h2 id="data-title" class="h3">Data</h2>
${json("event", "The event that started it", run.value.eventBody)}${json("output", "What it returned", run.value.output)}</section>`
    : html`<h1 class="title">No such run to show</h1><p class="note-failed" role="alert">${run.problem} Runs that have ended are deleted after some days.</p>`;
  return consolePage(
    run.ok ? run.value.functionId : "Run",
    "runs",
    html`<p class="up"><a class="link" href="/runs">Durable runs</a></p>${body}`,
  );
}

function facts(run: RunDetail): Markup {
  return html`<p class="run-state">${statusChip(run.status)}</p>
${run.error === null ? "" : html`<p class="note-failed">${run.error}</p>`}
<dl class="facts">
<dt>Run</dt><dd class="num">${run.id}</dd>
<dt>Event</dt><dd>${run.event}</dd>
<dt>Started</dt><dd>${dayTime(run.startedAt)}</dd><dt>Ended</dt><dd>${run.endedAt === null ? "not yet" : dayTime(run.endedAt)}</dd>
<dt>Calls</dt><dd class="num">${counted(run.calls, "calls")} made or planned${run.attempt > 1 ? `, attempt ${run.attempt} under way` : ""}</dd>
${run.openCalls.map(({ target, attempt, dueAt, state }) => html`<dt>Owed by the app</dt><dd class="num">${target === "step" ? "the function’s next step" : target}, attempt ${attempt}, ${state}, ${dayTime(dueAt)}</dd>`)}
</dl>`;
}

function steps({ steps }: RunDetail): Markup {
  if (steps.length === 0) return html`<p class="card empty muted">No step yet.</p>`;
  return html`<ol class="card rows steps">${steps.map(stepItem)}</ol>`;
}

function stepItem(step: RunDetail["steps"][number], index: number): Markup {
  const known = [
    KINDS[step.kind] ?? step.kind,
    ...(step.attempts > 0 ? [counted(step.attempts, "attempts")] : []),
    ...(step.waitsFor === null ? [] : [`waits for ${step.waitsFor}`]),
  ];
  return html`<li class="run-row">
<p class="run-name"><b>${step.name}</b> ${statusChip(step.state)}</p>
<p class="muted small num">${known.join(", ")}${step.dueAt === null ? "" : html`, due ${dayTime(step.dueAt)}`}</p>
${step.error === null ? "" : html`<p class="small bad">${step.error}</p>`}
${step.output === null ? "" : json(`step-${index}`, "Result", step.output)}</li>`;
}

function json(id: string, title: string, text: string | null): Markup {
  if (text === null) return html``;
  return html`<details id="${id}"><summary>${title}</summary><pre tabindex="0" aria-label="${title}">${text}</pre></details>`;
}
