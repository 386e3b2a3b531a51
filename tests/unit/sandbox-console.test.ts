import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RUNS, startConsoleHarness } from "#tests/support/console-harness.ts";

let harness: Awaited<ReturnType<typeof startConsoleHarness>>;
beforeAll(async () => {
  harness = await startConsoleHarness();
});
afterAll(() => harness.close());

const read = async (path: string) => {
  const answer = await fetch(`${harness.url}${path}`);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};
const faultsOn = async () => (await (await fetch(`${harness.pinterest.url}/__control/faults`)).json()).faults;
const tokenOf = async (page = "/stand-ins/pinterest") =>
  /name="token" value="([^"]+)"/.exec((await read(page)).text)?.[1] ?? "";
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${harness.url}/stand-ins/pinterest/${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers,
    redirect: "manual",
  });

describe("stand-ins", () => {
  test("R-SRV-10 the overview links all services and shows which are down and their state", async () => {
    const { status, text, headers } = await read("/");
    expect(status).toBe(200);
    expect(text).toContain("1 of 3 isn’t responding. No active faults.");
    expect(text).toMatch(/14 accounts, 0 connected, \d+ boards, 0 pins/);
    expect(text).toContain("Not responding");
    expect(text).toContain(`href="${harness.pinterest.url}"`);
    expect(text).toContain("app-publish-due-pins");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    const loaded = [...text.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)].map(([, address]) => address);
    expect(loaded.filter((address) => !address?.startsWith("/"))).toEqual([]);
    for (const address of loaded) expect((await fetch(`${harness.url}${address}`)).status).toBe(200);
    const { services } = await (await fetch(`${harness.url}/api/services`)).json();
    expect(services.map(({ isUp }: { isUp: boolean }) => isUp)).toEqual([true, true, false]);
  });

  test("R-SRV-10 a stand-in that is down has a page, an unknown one has none", async () => {
    const gone = await read("/stand-ins/gone");
    expect([gone.status, gone.text.includes("It isn’t responding.")]).toEqual([200, true]);
    expect((await read("/stand-ins/executor")).status).toBe(404);
    expect((await read("/stand-ins/none")).status).toBe(404);
  });

  test("R-SRV-10 a prepared fault is turned on once, turned on permanently, and turned off", async () => {
    const token = await tokenOf();
    const on = await submit("on", { token, scenario: "spam-block", times: "1", group: "POST /v5/pins" });
    expect([on.status, on.headers.get("location")]).toEqual([
      303,
      "/stand-ins/pinterest?done=on&group=POST+%2Fv5%2Fpins",
    ]);
    await submit("on", { token, scenario: "hang", times: "forever" });
    expect(await faultsOn()).toMatchObject([
      { scenario: "spam-block", times: 1 },
      { scenario: "hang", forever: true },
    ]);
    const { text } = await read(on.headers.get("location") ?? "");
    expect(text).toContain("Fault turned on.");
    expect(text).toMatch(/<details class="card group" id="group-0" open>/);
    expect(text).toMatch(/<b>spam-block<\/b><p class="muted small">POST \/v5\/pins, once more<\/p>/);
    const [first] = await faultsOn();
    await submit("off", { token, fault: first.id });
    expect(await faultsOn()).toMatchObject([{ scenario: "hang" }]);
    await submit("off", { token, fault: "all" });
    expect(await faultsOn()).toEqual([]);
  });

  test("R-SRV-10 settings are saved with their types; an error is shown with the stand-in's message", async () => {
    const token = await tokenOf();
    expect(
      (await submit("settings", { token, access: "trial", listingLagSeconds: "7", bulkAnalytics: "true" })).status,
    ).toBe(303);
    const state = await (await fetch(`${harness.pinterest.url}/__control/state`)).json();
    expect(state.settings).toMatchObject({ access: "trial", listingLagSeconds: 7, bulkAnalytics: true });
    const refused = await submit("settings", { token, listingLagSeconds: "-1" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/role="alert">[^<]*&gt;=0[^<]*listingLagSeconds/);
    expect((await submit("on", { token, scenario: "none", times: "1" })).status).toBe(400);
  });

  test("R-SRV-10 a form without the token, with another one, or from another page changes nothing", async () => {
    const token = await tokenOf();
    const fields = { scenario: "hang", times: "forever" };
    expect((await submit("on", fields)).status).toBe(403);
    expect(
      (await submit("on", { ...fields, token: token.startsWith("A") ? `B${token.slice(1)}` : `A${token.slice(1)}` }))
        .status,
    ).toBe(403);
    expect((await submit("on", { ...fields, token }, { origin: "https://evil.example" })).status).toBe(403);
    expect(await faultsOn()).toEqual([]);
    expect((await submit("on", { ...fields, token, times: "1" }, { origin: harness.url })).status).toBe(303);
    await submit("off", { token, fault: "all" });
  });

  test("R-SRV-10 the latest calls are shown, newest first, with their faults", async () => {
    const token = await tokenOf();
    await submit("on", { token, scenario: "unavailable", times: "1" });
    await fetch(`${harness.pinterest.url}/v5/boards/7/pins?a=<i>`);
    const { text } = await read("/stand-ins/pinterest");
    expect(text).toMatch(
      /GET \/v5\/boards\/7\/pins<\/span> <span class="chip failed">503<\/span><span class="chip failed">unavailable/,
    );
  });
});

describe("durable runs", () => {
  test("R-SRV-10 runs are listed with status, steps, attempt and error, by status and page", async () => {
    const { text } = await read("/runs");
    for (const run of RUNS) expect(text).toContain(`href="/runs/${run.id}"`);
    expect(text).toContain("1 of 2 steps, attempt 2");
    expect(text).toContain("1 of 1 step, took 1 min 10 s");
    expect(text).toContain("Error: &lt;b&gt;no&lt;/b&gt; answer");
    expect(text).toContain('href="/runs?cursor=01JNEXT0000000000000000000"');
    const failed = (await read("/runs?status=failed")).text;
    expect(failed).not.toContain("app-publish-due-pins");
    expect(failed).toMatch(/href="\/runs\?status=failed" aria-current="true"/);
  });

  test("R-SRV-10 a run shows its steps with attempts, waits, results and errors", async () => {
    const { text } = await read(`/runs/${RUNS[0]?.id}`);
    expect(text).toContain("sleep, waiting for time to pass, due");
    expect(text).toContain("{&quot;claimed&quot;: 3}");
    expect(text).toMatch(/the function’s next step, attempt 2, scheduled/);
    expect((await read(`/runs/${RUNS[1]?.id}`)).text).toMatch(/4 attempts.*Error: 503/s);
    expect((await read("/runs/none")).status).toBe(404);
  });

  test("R-SRV-10 a missing executor, or one that is down, is reported and breaks nothing", async () => {
    await using other = await startConsoleHarness();
    await other.executor.close();
    const pages = await Promise.all(["/", "/runs", `/runs/${RUNS[0]?.id}`].map((path) => fetch(`${other.url}${path}`)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 404]);
    for (const page of pages) expect(await page.text()).toContain("It isn’t responding.");
  });
});
