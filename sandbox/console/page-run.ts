import { html } from "hono/html";
import type { Markup } from "../kit/look/page.ts";
import type { Asked } from "./ask.ts";
import { consolePage, counted, dayTime, live, madeAt } from "./frame.ts";
import { runTimes, statusChip } from "./page-runs.ts";
import type { RunDetail, StepDetail } from "./runs-client.ts";

const KINDS: Record<string, string> = {
  run: "runs code",
  sleep: "sleeps",
  wait: "waits for an event",
  invoke: "invokes a function",
};

/** One run: what started it, its steps with their attempts and errors, what it returned. */
export function runPage(id: string, run: Asked<RunDetail>): Markup {
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
${runTimes(run)}
<dt>Calls</dt><dd class="num">${counted(run.calls, "calls")} made or planned${run.attempt > 1 ? `, attempt ${run.attempt} under way` : ""}</dd>
${run.parentRunId === null ? "" : html`<dt>Invoked by</dt><dd><a class="link num" href="/runs/${run.parentRunId}">${run.parentRunId}</a></dd>`}
${run.openCalls.map(({ target, attempt, dueAt, state }) => html`<dt>Owed by the app</dt><dd class="num">${target === "step" ? "the function’s next step" : target}, attempt ${attempt}, ${state}, ${dayTime(dueAt)}</dd>`)}
</dl>`;
}

function steps({ steps }: RunDetail): Markup {
  if (steps.length === 0) return html`<p class="card empty muted">No step yet.</p>`;
  return html`<ol class="card rows steps">${steps.map(stepItem)}</ol>`;
}

function stepItem(step: StepDetail, index: number): Markup {
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
