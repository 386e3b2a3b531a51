import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { catalogue, namedFaults, pickShort, planRun } from "#tests/faults/nemesis/catalogue.ts";
import { startHttpProxy } from "#tests/faults/nemesis/http-proxy.ts";
import { nextSpringForward } from "#tests/faults/nemesis/order-faults.ts";
import { listen, startPgProxy } from "#tests/faults/nemesis/pg-proxy.ts";
import { PgSplitter, PgStatements } from "#tests/faults/nemesis/pg-wire.ts";
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

test("PostgreSQL's messages are told apart however the bytes arrive, and prepared statements by their name", () => {
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
  expect(messages.map((one) => statements.read(one))).toEqual([undefined, undefined, "select 1", "commit"]);
});

test("the statements of a transaction are remembered until it ends", () => {
  const statements = new PgStatements();
  for (const text of ["begin; select 1", "insert into a", "savepoint s", "rollback to s"]) statements.note(text);
  expect(statements.earlier).toEqual(["insert into a", "savepoint s", "rollback to s"]);
  statements.note("commit");
  expect(statements.earlier).toEqual([]);
});

/** A server that answers each statement with ReadyForQuery, and notes it. */
const startFakePostgres = async () => {
  const received: string[] = [];
  const server = createTcpServer((socket) => {
    const splitter = new PgSplitter(true);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      for (const one of splitter.push(chunk)) {
        if (one.type === "Q") received.push(one.bytes.toString("utf8", 5, one.bytes.length - 1));
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

test("a statement is held before it arrives, and goes on when it is let go", async () => {
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

test("an answer is held after the statement was done; cut, the client never gets it", async () => {
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

test("a request is held before and after the provider; what was cut before it never arrives", async () => {
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

test("the same seed gives the same plan, another seed another one; each fault stands in it once", () => {
  const names = (seed: number) => {
    const { making, publishing } = planRun(catalogue, seed, 20);
    return [...making, ...publishing].map((wave) => wave.map(({ name }) => name).join("+"));
  };
  expect(names(7)).toEqual(names(7));
  expect(names(7)).not.toEqual(names(8));
  expect(names(7).join("+").split("+").sort()).toEqual(catalogue.map(({ name }) => name).sort());
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
});

test("kill -9 of app and executor stands before and after each of the eight edges", () => {
  expect(catalogue.filter(({ name }) => name.startsWith("kill-"))).toHaveLength(8 * 2 * 2);
  expect(namedFaults(["two-clicks"])).toHaveLength(1);
  expect(() => namedFaults(["no-such"])).toThrow('There is no fault called "no-such"');
});

test("short runs take some of each kind, and over the seeds all of them", () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);
  const taken = new Set(seeds.flatMap(pickShort).map(({ name }) => name));
  const missing = catalogue.filter(({ name }) => !taken.has(name)).map(({ name }) => name);
  expect(missing).toEqual(["none-making"]);
  expect(pickShort(7)).toEqual(pickShort(7));
});

test("the clocks go forward in Berlin on the last Sunday of March", () => {
  expect(nextSpringForward(new Date("2026-11-20T12:00:00Z")).toISOString()).toBe("2027-03-28T01:00:00.000Z");
  expect(nextSpringForward(new Date("2024-03-01T00:00:00Z")).toISOString()).toBe("2024-03-31T01:00:00.000Z");
});
