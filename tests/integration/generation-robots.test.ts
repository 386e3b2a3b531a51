import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { readTaskPage } from "#lib/features/generation/task-pages.ts";
import { jsonLd } from "#tests/support/web-pages/fixture.ts";
import { CHAT } from "./generation-harness.ts";
import { refuse, show, siteSetup } from "./generation-site.ts";

const { site, setup } = siteSetup("mugs", 5);

const MUG = `<title>Fern mug</title>${jsonLd({ "@type": "Product", name: "Fern mug" })}`;

const rowOf = (n: number) => ({ keyword: `mug ${n}`, url: site.url(`/mugs/${n}`) });

describe("many pages of one site", () => {
  const startRows = async (pages: number, more: { unreadPage?: "use_keyword" | "stop" } = {}) => {
    const creator = await setup.insertCreator(pages);
    const rows = Array.from({ length: pages }, (_, n) => rowOf(n));
    const { groupId } = await setup.start(creator, [], { rows, ...more });
    const tasks = await setup.tasksOf(groupId);
    return { creator, groupId, ids: tasks.map(({ id }) => id) };
  };
  const robots = (rules: RequestListener): RequestListener => {
    const page = show(MUG);
    return (request, response) => (request.url === "/robots.txt" ? rules : page)(request, response);
  };
  const forbid = (path: string) => robots(show(`User-agent: *\nDisallow: ${path}`));
  const paths = () => site.requests.map(({ url }) => url);

  test("are read as robots.txt allows, which is read once, and a draft without its page says why", async () => {
    site.answer = forbid("/mugs/1");
    const { creator, groupId, ids } = await startRows(4);
    const read = await Promise.all(ids.map((id) => readTaskPage(setup.job(), { taskId: id, waitedSeconds: 0 })));
    expect(read).toEqual(ids.map(() => ({ kind: "ready" })));
    expect(paths().toSorted()).toEqual(["/mugs/0", "/mugs/2", "/mugs/3", "/robots.txt"]);
    expect(await setup.drive(ids[1] ?? "")).toMatchObject({ status: "SUCCESS" });
    const wire = toTrackingWire(await trackGeneration(creator.ctx, { groupId }), creator.ctx);
    expect(wire.tasks[1]?.page).toEqual({
      taken: [],
      problem: "The site's robots.txt doesn't allow apps like ours to read this page.",
    });
    expect(wire.tasks[2]?.page).toMatchObject({ problem: null });
  });

  test("stop without a draft where the user wants none, also behind a redirect", async () => {
    const forbidden = forbid("/private");
    site.answer = (request, response) =>
      request.url === "/mugs/2"
        ? void response.writeHead(302, { location: "/private" }).end()
        : forbidden(request, response);
    const { creator, ids } = await startRows(4, { unreadPage: "stop" });
    const before = await setup.calls(CHAT);
    const [, , held] = await setup.buckets(creator);
    expect(await readTaskPage(setup.job(), { taskId: ids[2] ?? "", waitedSeconds: 0 })).toEqual({ kind: "ended" });
    expect(await setup.task(ids[2] ?? "")).toMatchObject({
      status: "FAILURE",
      reason: expect.stringContaining("robots.txt"),
    });
    expect(paths()).not.toContain("/private");
    expect(await setup.calls(CHAT)).toBe(before);
    expect((await setup.buckets(creator))[2]).toBe(held - 1);
  });

  test("aren't read while robots.txt can't be read, as RFC 9309 says", async () => {
    site.answer = robots(refuse(503));
    const { ids } = await startRows(4);
    for (const taskId of ids) await readTaskPage(setup.job(), { taskId, waitedSeconds: 0 });
    expect((await setup.task(ids[3] ?? "")).page).toEqual({ kind: "unread", reason: "robots_unread", status: null });
    expect(paths()).toEqual(["/robots.txt"]);
  });

  test("a few are opened as their user does, and what was read for them is used by many", async () => {
    site.answer = forbid("/");
    const { ids } = await startRows(3);
    for (const taskId of ids) await readTaskPage(setup.job(), { taskId, waitedSeconds: 0 });
    expect(paths()).toEqual(["/mugs/0", "/mugs/1", "/mugs/2"]);
    const many = await startRows(4);
    for (const taskId of many.ids) await readTaskPage(setup.job(), { taskId, waitedSeconds: 0 });
    const kinds = await Promise.all(many.ids.map(async (id) => (await setup.task(id)).page));
    expect(kinds).toMatchObject([...ids.map(() => ({ kind: "read" })), { kind: "unread", reason: "blocked" }]);
    // The refusal holds for many pages only.
    const { groupId } = await setup.start(await setup.insertCreator(), [], { rows: [rowOf(3)] });
    const [one] = await setup.tasksOf(groupId);
    await readTaskPage(setup.job(), { taskId: one?.id ?? "", waitedSeconds: 0 });
    expect((await setup.task(one?.id ?? "")).page).toMatchObject({ kind: "read" });
  });
});
