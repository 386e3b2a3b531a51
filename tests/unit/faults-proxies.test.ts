import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { catalog, catalogOf, namedFaults, pickShort, planRun } from "#tests/faults/chaos/catalog.ts";
import { startHttpProxy } from "#tests/faults/chaos/http-proxy.ts";
import { nextSpringForward } from "#tests/faults/chaos/order-faults.ts";
import { listen, startPgProxy } from "#tests/faults/chaos/pg-proxy.ts";
import { PgSplitter, PgStatements } from "#tests/faults/chaos/pg-wire.ts";
import { until } from "#tests/support/poll.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const message = (type: string, ...texts: string[]): Buffer => {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(""));
  const head = Buffer.alloc(type === "" ? 4 : 5);
  head.write(type);
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
};

const startup = (): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(8, 0);
  bytes.writeInt32BE(0x0003_0000, 4);
  return bytes;
};

test("PostgreSQL's messages are parsed however the bytes arrive, and prepared statements are known by name", () => {
  const bytes = Buffer.concat([
    startup(),
    message("P", "s1", "select 1"),
    message("B", "", "s1"),
    message("Q", "commit"),
  ]);
  const splitter = new PgSplitter(true);
  const messages = [...bytes].flatMap((byte) => splitter.push(Buffer.from([byte])));
  expect(messages.map(({ type }) => type)).toEqual(["", "P", "B", "Q"]);
  const statements = new PgStatements();
  expect(messages.map((item) => statements.read(item))).toEqual([undefined, undefined, "select 1", "commit"]);
});

test("a transaction's statements are recorded until it ends", () => {
  const statements = new PgStatements();
  for (const text of ["begin; select 1", "insert into a", "savepoint s", "rollback to s"]) statements.note(text);
  expect(statements.earlier).toEqual(["insert into a", "savepoint s", "rollback to s"]);
  statements.note("commit");
  expect(statements.earlier).toEqual([]);
});

/** A server that records each statement and responds with ReadyForQuery. */
const startFakePostgres = async () => {
  const received: string[] = [];
  const server = createTcpServer((socket) => {
    const splitter = new PgSplitter(true);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      for (const item of splitter.push(chunk)) {
        if (item.type === "Q") received.push(item.bytes.toString("utf8", 5, item.bytes.length - 1));
        socket.write(message("Z", ""));
      }
    });
  });
  const port = await listen(server);
  closers.push(() => server.close());
  const proxy = await startPgProxy(() => port);
  closers.push(proxy.close);
  const client: Socket = connect(proxy.port, "127.0.0.1");
  closers.push(() => client.destroy());
  let answers = 0;
  const splitter = new PgSplitter(false);
  client.on("error", () => {});
  client.on("data", (chunk) => {
    answers += splitter.push(chunk).length;
  });
  client.write(startup());
  await until(() => answers === 1);
  return { proxy, client, received, answers: () => answers - 1 };
};

test("a statement is held before it arrives, and continues when it is released", async () => {
  const { proxy, client, received, answers } = await startFakePostgres();
  const hold = proxy.holds.add({ side: "before", at: /^commit/, following: /insert into a/ });
  for (const text of ["begin", "insert into a", "commit"]) client.write(message("Q", text));
  expect(await hold.caught(5_000)).toBe(true);
  await until(() => received.length === 2);
  expect(received).toEqual(["begin", "insert into a"]);
  hold.release();
  await until(() => answers() === 3);
  expect(received).toEqual(["begin", "insert into a", "commit"]);
});

test("a response is held after the statement was executed; after a cut the client never gets it", async () => {
  const { proxy, client, received, answers } = await startFakePostgres();
  const hold = proxy.holds.add({ side: "after", at: /^commit/ });
  client.write(message("Q", "commit"));
  expect(await hold.caught(5_000)).toBe(true);
  expect(received).toEqual(["commit"]);
  expect(answers()).toBe(0);
  hold.cut();
  await until(() => client.destroyed);
  expect(answers()).toBe(0);
});

test("a request is held before and after the provider; a request cut before it never arrives", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    response.end("{}");
  });
  const port = await listen(server);
  closers.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const proxy = await startHttpProxy(`http://127.0.0.1:${port}`, () => new Date(0));
  closers.push(proxy.close);
  const call = (path: string) =>
    fetch(`${proxy.url}${path}`, { method: "POST", body: "hello" }).then(
      ({ status }) => status,
      () => "cut",
    );
  const before = proxy.holds.add({ side: "before", at: /^POST \/one$/ });
  const first = call("/one");
  expect(await before.caught(5_000)).toBe(true);
  before.cut();
  expect(await first).toBe("cut");
  expect(seen).toEqual([]);
  const after = proxy.holds.add({ side: "after", at: /^POST \/two$/ });
  const second = call("/two?q=1");
  expect(await after.caught(5_000)).toBe(true);
  expect(seen).toEqual(["/two?q=1"]);
  expect(proxy.inFlight()).toBe(1);
  after.release();
  expect(await second).toBe(200);
  expect(proxy.seen()).toMatchObject([
    { path: "/one", status: 0 },
    { path: "/two", status: 200, body: "hello" },
  ]);
});

test("the same seed gives the same plan, another seed another plan; each fault is in it once", () => {
  const names = (seed: number) => {
    const { generation, publishing } = planRun(catalog, seed, 20);
    return [...generation, ...publishing].map((wave) => wave.map(({ name }) => name).join("+"));
  };
  expect(names(7)).toEqual(names(7));
  expect(names(7)).not.toEqual(names(8));
  expect(names(7).join("+").split("+").sort()).toEqual(catalog.map(({ name }) => name).sort());
  expect(new Set(catalog.map(({ name }) => name)).size).toBe(catalog.length);
});

test("the plan kills app and executor before and after each of the eight edges, and the app at an import's three", () => {
  expect(catalog.filter(({ name }) => name.startsWith("kill-"))).toHaveLength(10 * 2 * 2 + 3 * 2);
  expect(namedFaults(["two-clicks"])).toHaveLength(1);
  expect(catalogOf(1)).toEqual(catalog);
  const extra = catalogOf(2).filter((fault) => !catalog.includes(fault));
  expect(extra.map(({ name }) => name)).toEqual([
    "rolling-deploy-generation",
    "rolling-deploy-publishing",
    "kill-each-instance",
  ]);
  expect(namedFaults(["kill-each-instance"])).toEqual(extra.slice(2));
  expect(() => namedFaults(["no-such"])).toThrow('There is no fault called "no-such"');
});

test("short runs include some faults of each kind, and all of them over many seeds", () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);
  const taken = new Set(seeds.flatMap(pickShort).map(({ name }) => name));
  const missing = catalog.filter(({ name }) => !taken.has(name)).map(({ name }) => name);
  expect(missing).toEqual(["none-generation"]);
  expect(pickShort(7)).toEqual(pickShort(7));
});

test("the clocks go forward in Berlin on the last Sunday in March", () => {
  expect(nextSpringForward(new Date("2026-11-20T12:00:00Z")).toISOString()).toBe("2027-03-28T01:00:00.000Z");
  expect(nextSpringForward(new Date("2024-03-01T00:00:00Z")).toISOString()).toBe("2024-03-31T01:00:00.000Z");
});
