import { NonRetriableError } from "inngest";
import { expect, onTestFinished, test } from "vitest";
import { startConsole } from "#sandbox/console/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();

test("R-SRV-10 the console lists the executor's runs, and shows a run's steps, attempts and error", async () => {
  let tries = 0;
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", retries: 3, triggers: [{ event: "test/go" }] }, async ({ step }) => {
      await step.run("first", () => ({ answer: 42 }));
      await step.run("shaky", () => {
        tries += 1;
        if (tries < 2) throw new Error("not yet");
      });
      await step.run("last", () => {
        throw new NonRetriableError("no <way>");
      });
    }),
  ]);
  const entry = { id: "executor", name: "Executor", what: "", url: harness.url, probe: harness.url, visit: true };
  const console = await startConsole({
    host: "127.0.0.1",
    port: 0,
    deadlineMs: 30_000,
    entries: [{ ...entry, runs: harness.url }],
  });
  onTestFinished(() => console.close());
  await harness.app.client.send({ name: "test/go", data: {} });
  const [run] = await untilEnded(harness.url, "fn");
  const read = async (path: string) => (await fetch(`${console.url}${path}`)).text();
  for (const path of ["/", "/runs", "/runs?status=failed"])
    expect(await read(path)).toContain(`href="/runs/${run?.id}"`);
  expect(await read("/runs?status=completed")).not.toContain(`href="/runs/${run?.id}"`);
  const page = await read(`/runs/${run?.id}`);
  expect(page).toContain("no &lt;way&gt;");
  expect(page).toContain("{&quot;answer&quot;:42}");
  const steps = [...page.matchAll(/<b>(\w+)<\/b> <span class="[^"]+">(\w+)<\/span><\/p>\s*<p[^>]*>([^<]*)</g)];
  expect(steps.map(([, name, state, known]) => [name, state, known])).toEqual([
    ["first", "Done", "runs code, 1 attempt"],
    ["shaky", "Done", "runs code, 2 attempts"],
    ["last", "Failed", "runs code, 1 attempt"],
  ]);
});
