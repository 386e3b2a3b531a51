import { html } from "hono/html";
import type { Health } from "./reports.ts";
import type { RunReport } from "./run-report.ts";

const STYLE = `
  :root { color-scheme: light dark; --ink: light-dark(#23251f, #ecebe4); --paper: light-dark(#faf8f3, #191b17);
    --line: light-dark(#dcd8cc, #383b33); --bad: light-dark(#a3261b, #ff9a8b); --good: light-dark(#1f5c3a, #86d3a6); }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
  .scroll { overflow-x: auto; } code { font-size: .85em; overflow-wrap: anywhere; } .failed { color: var(--bad); } .completed { color: var(--good); }`;

/** The operators' page: functions, queue, newest runs. */
export function renderPage(health: Health, runs: readonly RunReport[]) {
  const { due, scheduled, inFlight, sleeping, running } = health.queue;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Durable executor</title>
        <style>${STYLE}</style>
      </head>
      <body>
        <main>
          <h1>Durable executor</h1>
          <p class="${health.ready ? "completed" : "failed"}">${health.ready ? "Ready." : "Not ready."}</p>
          ${health.problems.map((problem) => html`<p class="failed" role="alert">${problem}</p>`)}
          <p>${running} runs, ${inFlight} calls under way, ${due} due, ${scheduled} later, ${sleeping} steps asleep or waiting.</p>
          <h2>Functions</h2>
          <ul>${health.functions.map((id) => html`<li><code>${id}</code></li>`)}</ul>
          <h2 id="runs">Newest runs</h2>
          <div class="scroll" role="region" aria-labelledby="runs" tabindex="0">
            <table>
              <thead><tr><th scope="col">Started</th><th scope="col">Function</th><th scope="col">Status</th>
                <th scope="col">Steps</th><th scope="col">Attempt</th><th scope="col">Error</th></tr></thead>
              <tbody>${runs.map(renderRun)}</tbody>
            </table>
          </div>
        </main>
      </body>
    </html>`;
}

function renderRun(run: RunReport) {
  const steps = run.steps.map((step) => (step.state === "done" ? step.name : `${step.name} (${step.state})`));
  return html`<tr>
    <td><time datetime="${run.startedAt}">${run.startedAt.slice(0, 19).replace("T", " ")}</time></td>
    <td><code>${run.functionId}</code><br />${run.event}<br /><code>${run.id}</code></td>
    <td class="${run.status}">${run.status}</td>
    <td>${steps.length === 0 ? "none" : steps.join(", ")}</td>
    <td>${run.attempt === 0 ? "" : run.attempt}</td>
    <td class="failed">${run.error ?? ""}</td>
  </tr>`;
}
