import {
  createServer,
  type IncomingHttpHeaders,
  request as openRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { noteActionStart } from "#lib/server/action-start.ts";
import { answerUnusualRequests } from "#lib/server/unusual-requests.ts";

beforeAll(() => {
  answerUnusualRequests("https://pins.example.com", "all");
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

/** A server whose handler responds with 500, as Next does; `before` runs first. */
const failingServer = async (before: (headers: IncomingHttpHeaders) => void | Promise<void> = () => {}) => {
  const respond = async (headers: IncomingHttpHeaders, response: ServerResponse) => {
    await before(headers);
    response.statusCode = 500;
    response.end("failed");
  };
  const server = createServer({ keepAliveTimeout: 20 }, (request, response) => void respond(request.headers, response));
  servers.push(server.listen(0, "127.0.0.1"));
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  return async (path: string, options: RequestInit) => (await fetch(`http://127.0.0.1:${port}${path}`, options)).status;
};

const ACTION = { method: "POST", headers: { "next-action": "7f" }, body: "broken" };
const FORM = { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body: "broken" };

describe("a request that Next could not decode", () => {
  test.each([
    ["an action of the client", ACTION],
    ["a form without scripts", FORM],
  ])("%s is the caller's fault until the action has started", async (_, options) => {
    expect(await (await failingServer())("/app", options)).toBe(400);
    const begun = async () => {
      await Promise.resolve();
      noteActionStart();
    };
    expect(await (await failingServer(begun))("/app", options)).toBe(500);
  });

  test("failures of calls and pages stay failures", async () => {
    const send = await failingServer();
    expect(await send("/api/users/pinterest/create-bulk/", FORM)).toBe(500);
    expect(await send("/app", { method: "POST", body: "x" })).toBe(500);
    expect(await send("/app", { headers: { "next-action": "7f" } })).toBe(500);
  });
});

test("a router state reaches Next only if it can be read", async () => {
  const seen: unknown[] = [];
  const send = await failingServer((headers) => {
    seen.push(headers["next-router-state-tree"]);
  });
  const leaf = ["__PAGE__", {}, null, null, 16];
  const good = encodeURIComponent(
    JSON.stringify(["", { children: [["id", "x", "d", null], { children: leaf }, ["a", "b"], "refetch"] }, null, null]),
  );
  const bad = [
    "[",
    "%",
    "%5B%5D",
    "%7B%22a%22%3A1%7D",
    encodeURIComponent(`["",${'{"a":["",'.repeat(300)}`),
    encodeURIComponent('["",{},7]'),
    encodeURIComponent('["",{"children":["",{},null,"other"]}]'),
  ];
  for (const state of [good, ...bad]) await send("/app", { headers: { "next-router-state-tree": state } });
  expect(seen).toEqual([good, ...bad.map(() => undefined)]);
});

test("a request to change the protocol is answered like any other", async () => {
  const server = createServer((_, response) => void response.end());
  // Next adds such a listener, which ends the connection.
  server.on("upgrade", (_, socket) => socket.destroy());
  servers.push(server.listen(0, "127.0.0.1"));
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const headers = { upgrade: "h2c", connection: "Upgrade" };
  // A server is taken over by its first usual request, as its health check is.
  await fetch(`http://127.0.0.1:${port}/`);
  const answered = Promise.withResolvers<number | undefined>();
  const sent = openRequest({ port, headers }, (response) => answered.resolve(response.resume().statusCode));
  sent.on("error", answered.reject).end();
  expect(await answered.promise).toBe(200);
});
