import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { startBalancer } from "#tests/support/balancer.ts";
import { freePorts } from "#tests/support/free-ports.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const listen = async (listener: RequestListener): Promise<{ server: Server; port: number }> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  closers.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, port: (server.address() as AddressInfo).port };
};

const balance = async (...ports: number[]) => {
  const balancer = await startBalancer(0, ports);
  closers.push(balancer.close);
  return { balancer, url: `http://127.0.0.1:${balancer.port}` };
};

const named = (name: string) => listen((_, response) => response.end(name));

test("requests go to the instances in turn, with their body and headers", async () => {
  const echo = (name: string) =>
    listen(async (request, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end(`${name} ${request.method} ${request.url} ${request.headers["x-own"]} ${await text(request)}`);
    });
  const { balancer, url } = await balance((await echo("one")).port, (await echo("two")).port);
  const answers: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const response = await fetch(`${url}/a?b=${n}`, { method: "POST", body: `body ${n}`, headers: { "x-own": "yes" } });
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    answers.push(await response.text());
  }
  expect(answers.map((answer) => answer.split(" ")[0]).sort()).toEqual(["one", "one", "two", "two"]);
  expect(answers[0]).toMatch(/ POST \/a\?b=0 yes body 0$/);
  expect([...balancer.answered().values()]).toEqual([2, 2]);
});

test("an instance that refuses connections is skipped, for every method", async () => {
  const [dead = 0] = await freePorts(1);
  const { balancer, url } = await balance(dead, (await named("alive")).port);
  for (const method of ["GET", "POST", "POST", "GET"]) {
    const response = await fetch(url, { method, ...(method === "POST" && { body: "x" }) });
    expect([response.status, await response.text()]).toEqual([200, "alive"]);
  }
  expect(balancer.lost()).toEqual([]);
});

test("an instance that dies while answering: reads are repeated, other requests fail and are counted", async () => {
  let seen = 0;
  const dying = await listen((request) => {
    seen += 1;
    request.socket.destroy();
  });
  const { balancer, url } = await balance(dying.port, (await named("alive")).port);
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await fetch(`${url}/read`)).status);
  expect(statuses).toEqual([200, 200, 200, 200]);
  const before = seen;
  for (let n = 0; n < 2; n += 1) statuses.push((await fetch(`${url}/write`, { method: "POST", body: "x" })).status);
  expect(statuses.slice(4).sort()).toEqual([200, 502]);
  expect([seen - before, balancer.lost()]).toEqual([1, ["POST /write"]]);
});

test("a stream passes as it is written, and breaks when its instance dies", async () => {
  const events = await listen((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("id: 1\n\n");
    request.once("close", () => response.end());
  });
  const { url } = await balance(events.port);
  const response = await fetch(url);
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("id: 1\n\n");
  events.server.closeAllConnections();
  await expect(reader?.read()).rejects.toThrow();
});

test("an upgraded connection passes both ways", async () => {
  const upgraded = await named("no");
  upgraded.server.on("upgrade", (_, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    socket.pipe(socket);
  });
  const { balancer } = await balance(upgraded.port);
  const client = connect(balancer.port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  await new Promise((resolve) => client.once("data", resolve));
  client.end("hello");
  expect((await buffer(client)).toString()).toContain("hello");
});
