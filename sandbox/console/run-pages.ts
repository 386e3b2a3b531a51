import { html } from "hono/html";
import type { RunDetail, RunPage, RunReport } from "../inngest/reports.ts";
import { type Markup, pluralize } from "../kit/ui/page.ts";
import type { Result } from "./clients.ts";
import { capitalized, chip, clockTime, consolePage, dayTime, lastUpdated, live } from "./frame.ts";

const STATUSES = ["running", "completed", "failed"];

/** The list of runs, newest first. `query` holds the filter and the cursor. */
export function runsPage(runs: Result<RunPage>, query: Record<string, string>): Markup {
  const here = `/runs?${new URLSearchParams(query)}`;
  return consolePage(
    "Durable runs",
    "runs",
    html`
<h1 class="title">Durable runs</h1>
<p class="lead">Every run of a durable function, with its steps. The executor retries runs that fail.</p>
<nav class="filters" aria-label="Status">${[undefined, ...STATUSES].map((status) => filterLink(status, query.status))}</nav>
${live("runs", html`${lastUpdated(here)}${runList(runs)}`)}
${pageLinks(runs, query)}`,
  );
}

function filterLink(status: string | undefined, current: string | undefined): Markup {
  const href = status === undefined ? "/runs" : `/runs?status=${status}`;
  const text = status === undefined ? "All" : capitalized(status);
  return html`<a class="btn btn-2" href="${href}" ${status === current ? html`aria-current="true"` : ""}>${text}</a>`;
}

/** A list of runs, or the reason it can't be shown. */
export function runList(read: Result<RunPage>): Markup {
  if (!read.ok) return html`<p class="note-failed" role="alert">Runs aren’t available right now. ${read.problem}</p>`;
  const { runs } = read.value;
  if (runs.length === 0) return html`<p class="card empty muted">No runs to show.</p>`;
  return html`<ul class="card rows">${runs.map(runItem)}</ul>`;
}

function runItem(run: RunReport): Markup {
  const done = run.steps.filter(({ state }) => state !== "pending").length;
  const facts = [
    `${done} of ${pluralize(run.steps.length, "steps")}`,
    ...(run.attempt > 1 ? [`attempt ${run.attempt}`] : []),
    ...(run.endedAt === null ? [] : [`took ${spanOf(run.startedAt, run.endedAt)}`]),
  ];
  return html`<li class="run-row">
<p class="run-name"><a class="link" href="/runs/${run.id}">${run.functionId}</a> ${statusChip(run.status)}</p>
<p class="muted small num">${clockTime(run.startedAt)}, ${run.event}, ${facts.join(", ")}</p>
${run.error === null ? "" : html`<p class="small bad">${run.error}</p>`}</li>`;
}

function statusChip(status: string): Markup {
  const good = status === "completed" || status === "done";
  return chip(capitalized(status), status === "failed" ? "bad" : good ? "good" : "plain");
}

/** `1.2 s`, `3 min 20 s` or `2 h 5 min`. */
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

const KINDS: Record<string, string> = { run: "runs code", sleep: "sleep" };

/** One run: its event, its steps with attempts and errors, and its return value. */
export function runPage(id: string, run: Result<RunDetail>): Markup {
  const body = run.ok
    ? html`<h1 class="title run-title">${run.value.functionId}</h1>${live("run", html`${lastUpdated(`/runs/${id}`)}${facts(run.value)}`)}
<section class="part" aria-labelledby="steps-title"><h2 id="steps-title" class="h3">Steps</h2>${live("steps", steps(run.value))}</section>
<section class="part" aria-labelledby="data-title"><h2 id="data-title" class="h3">Data</h2>
${json("event", "Triggering event", run.value.eventBody)}${json("output", "Return value", run.value.output)}</section>`
    : html`<h1 class="title">Run not found</h1><p class="note-failed" role="alert">${run.problem} Runs are deleted a few days after they end.</p>`;
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
<dt>Calls</dt><dd class="num">${pluralize(run.calls, "calls")} made or scheduled${run.attempt > 1 ? `, attempt ${run.attempt} in progress` : ""}</dd>
${run.openCalls.map(({ target, attempt, dueAt, state }) => html`<dt>Open call</dt><dd class="num">${target === "step" ? "the function’s next step" : target}, attempt ${attempt}, ${state}, ${dayTime(dueAt)}</dd>`)}
</dl>`;
}

function steps({ steps }: RunDetail): Markup {
  if (steps.length === 0) return html`<p class="card empty muted">No steps yet.</p>`;
  return html`<ol class="card rows steps">${steps.map(stepItem)}</ol>`;
}

function stepItem(step: RunDetail["steps"][number], index: number): Markup {
  const known = [
    KINDS[step.kind] ?? step.kind,
    ...(step.attempts > 0 ? [pluralize(step.attempts, "attempts")] : []),
    ...(step.waitsFor === null ? [] : [`waiting for ${step.waitsFor}`]),
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
