import { and, eq, isNotNull, like } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks, siteRequests } from "#db/schema/links.ts";
import { databaseTime } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { readTaskPage } from "#lib/features/generation/task-pages.ts";
import { checkLink, requestChecks } from "#lib/features/links/checks.ts";
import { HOST_CHECKS_MAX, RESERVED_GAP_MS, RESERVED_WINDOW_MS } from "#lib/features/links/constants.ts";
import { toCheckEvent } from "#lib/features/links/queries.ts";
import { checkRequested, NEW_CHECK_PROGRESS } from "#lib/features/links/schema.ts";
import { readPage } from "#lib/features/pages/readings.ts";
import { applyRetentionRule } from "#lib/features/privacy/retention.ts";
import { jsonLd } from "#tests/support/web-pages/fixture.ts";
import { show, siteSetup } from "./generation-site.ts";

const { site, setup } = siteSetup("turns", 6);

const MUG = `<title>Fern mug</title>${jsonLd({ "@type": "Product", name: "Fern mug" })}`;

const urlsOf = (folder: string, count: number) =>
  Array.from({ length: count }, (_, n) => site.url(`/${folder}/${String(n)}`));

const nowMs = async () => (await databaseTime(setup.job())).getTime();

/** What the engine runs again after each wait; null once it has ended. */
interface Run {
  dueMs: number;
  step(): Promise<{ afterMs: number } | null>;
}

/** Runs all as the engine does, moving the clock from one wait's end to the next one's. */
const runAll = async (runs: Run[]): Promise<void> => {
  for (let open = runs; open.length > 0; ) {
    const now = await nowMs();
    const first = Math.min(...open.map(({ dueMs }) => dueMs));
    if (first > now) await setup.harness.moveClock(first - now);
    const atMs = Math.max(first, now);
    for (const run of open.filter(({ dueMs }) => dueMs <= atMs)) {
      const move = await run.step();
      run.dueMs = move ? (await nowMs()) + move.afterMs : Number.POSITIVE_INFINITY;
    }
    // A step may have added runs.
    open = runs.filter(({ dueMs }) => dueMs < Number.POSITIVE_INFINITY);
  }
};

const requestCheck = async (url: string): Promise<Run> => {
  const job = setup.job();
  await requestChecks(job, { links: [url] });
  const [row] = await job.db.select().from(linkChecks).where(eq(linkChecks.url, url));
  if (!row) throw new Error("The check was not requested.");
  const request = checkRequested.parse(toCheckEvent(row).data);
  let progress = NEW_CHECK_PROGRESS;
  return {
    dueMs: await nowMs(),
    step: async () => {
      const move = await checkLink(setup.job(), { ...request, ...progress });
      if (move.kind === "done") return null;
      progress = move;
      return { afterMs: Math.ceil(move.afterMs / SECOND_MS) * SECOND_MS };
    },
  };
};

/** As `generate-pin` reads a page. `waits`: the total seconds that each page waited. */
const readingOf = (taskId: string, waits: number[], onRead: () => Promise<void>): Run => {
  let waitedSeconds = 0;
  return {
    dueMs: 0,
    step: async () => {
      const read = await readTaskPage(setup.job(), { taskId, waitedSeconds });
      if (read.kind === "later") {
        waitedSeconds += read.afterSeconds;
        return { afterMs: read.afterSeconds * SECOND_MS };
      }
      waits.push(waitedSeconds);
      await onRead();
      return null;
    },
  };
};

const startRows = async (urls: readonly string[]) => {
  const creator = await setup.insertCreator(urls.length);
  const rows = urls.map((url, n) => ({ keyword: `mug ${String(n)}`, url }));
  const { groupId } = await setup.start(creator, [], { rows });
  return (await setup.tasksOf(groupId)).map(({ id }) => id);
};

const pagesOf = async (taskIds: readonly string[]) =>
  Promise.all(taskIds.map(async (id) => Object(await setup.task(id)).page?.kind));

/** Records when each request arrives. */
const recordTimes = () => {
  const times: number[] = [];
  site.answer = (request, response) => {
    times.push(setup.harness.now().getTime());
    show(MUG)(request, response);
  };
  return times;
};

const expectPaced = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  const spans = sorted.slice(HOST_CHECKS_MAX).map((at, n) => at - (sorted[n] ?? 0));
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(MINUTE_MS);
};

describe("many pages of a site that is at its limit", () => {
  test("are all read, also while drafts' and hundreds of other links to it are checked", async () => {
    const times = recordTimes();
    const others = urlsOf("others", 240);
    const runs: Run[] = [];
    for (const url of others) runs.push(await requestCheck(url));
    // All of them ask once, so that most wait for times that they reserved.
    for (const run of runs) {
      const move = await run.step();
      run.dueMs = move ? run.dueMs + move.afterMs : Number.POSITIVE_INFINITY;
    }
    const urls = urlsOf("mugs", 2 * HOST_CHECKS_MAX + 4);
    const ids = await startRows(urls);
    const waits: number[] = [];
    for (const [n, id] of ids.entries())
      runs.push(readingOf(id, waits, async () => void runs.push(await requestCheck(urls[n] ?? ""))));
    await runAll(runs);
    expect(new Set(await pagesOf(ids))).toEqual(new Set(["read"]));
    // The links that were there before would take ten minutes.
    expect(Math.max(...waits)).toBeLessThan(5 * 60);
    const job = setup.job();
    const isHere = like(linkChecks.url, `http://${site.host}:%`);
    expect(await job.db.$count(linkChecks, and(isHere, isNotNull(linkChecks.checkedAt)))).toBe(240 + urls.length);
    expectPaced(times);
  });

  test("wait once each, in order, and ask again without losing their place", async () => {
    site.answer = show(MUG);
    for (const url of urlsOf("first", HOST_CHECKS_MAX)) await readPage(setup.job(), { url });
    const waiting = urlsOf("waiting", 3);
    const ask = (url: string) => readPage(setup.job(), { url, keepsPlace: true });
    const placeOf = async (url: string) => {
      const found = await ask(url);
      return found.kind === "later" ? (await nowMs()) + found.afterMs : 0;
    };
    const places: number[] = [];
    for (const url of waiting) places.push(await placeOf(url));
    for (const [n, place] of places.slice(1).entries())
      expect(place - (places[n] ?? 0)).toBeGreaterThanOrEqual(RESERVED_GAP_MS - SECOND_MS);
    expect(Math.abs((await placeOf(waiting[0] ?? "")) - (places[0] ?? 0))).toBeLessThan(SECOND_MS);
    await setup.harness.moveClock((places[0] ?? 0) - (await nowMs()));
    expect((await ask(waiting[1] ?? "")).kind).toBe("later");
    expect((await ask(waiting[0] ?? "")).kind).toBe("read");
  });

  test("of a run that died leave their place free a moment later", async () => {
    site.answer = show(MUG);
    for (const url of urlsOf("first", HOST_CHECKS_MAX)) await readPage(setup.job(), { url });
    const url = site.url("/dead");
    expect((await readPage(setup.job(), { url, keepsPlace: true })).kind).toBe("later");
    await setup.harness.moveClock(RESERVED_WINDOW_MS + MINUTE_MS + SECOND_MS);
    expect((await readPage(setup.job(), { url: site.url("/other") })).kind).toBe("read");
    const { job } = setup;
    const left = () =>
      job().db.$count(siteRequests, and(eq(siteRequests.site, site.host), isNotNull(siteRequests.waiter)));
    expect(await left()).toBe(0);
    const purge = () => applyRetentionRule(job(), { rule: "site-requests" });
    await purge();
    expect(await job().db.$count(siteRequests)).toBeGreaterThan(0);
    await setup.harness.later(DAY_MS + MINUTE_MS, purge);
    expect(await job().db.$count(siteRequests)).toBe(0);
  });

  test("count once for all processes", async () => {
    site.answer = show(MUG);
    const other = { ...setup.job(), links: { ...setup.job().links } };
    for (const url of urlsOf("first", HOST_CHECKS_MAX)) await readPage(other, { url });
    expect((await readPage(setup.job(), { url: site.url("/next") })).kind).toBe("later");
  });

  test("are read although robots.txt itself has to wait, and its redirect counts once", async () => {
    site.answer = (request, response) =>
      request.url === "/robots.txt"
        ? void response.writeHead(302, { location: "/rules" }).end()
        : show(request.url === "/rules" ? "User-agent: *\nDisallow: /mugs/1" : MUG)(request, response);
    const runs: Run[] = [];
    for (const url of urlsOf("others", 2 * HOST_CHECKS_MAX)) runs.push(await requestCheck(url));
    for (const run of runs) {
      const move = await run.step();
      run.dueMs = move ? run.dueMs + move.afterMs : Number.POSITIVE_INFINITY;
    }
    const ids = await startRows(urlsOf("mugs", 4));
    const waits: number[] = [];
    for (const id of ids) runs.push(readingOf(id, waits, async () => undefined));
    await runAll(runs);
    expect(await pagesOf(ids)).toEqual(["read", "unread", "read", "read"]);
    expect(Math.max(...waits)).toBeLessThan(100);
    expect(site.requests.filter(({ url }) => url === "/robots.txt")).toHaveLength(1);
  });
});
