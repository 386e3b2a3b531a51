import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { answerUnusualRequests } from "#lib/server/unusual-requests.ts";

beforeAll(() => {
  answerUnusualRequests("https://pins.example.com", "all");
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

/** Sends raw text to a server; the answer ends when the server closes. */
const speak = async (requests: string[], respond: Parameters<typeof createServer>[1] = (_, to) => to.end("ok")) => {
  const server = createServer({ keepAliveTimeout: 50 }, respond).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const answers: string[] = [];
  for (const request of requests) {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(request));
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      socket.once("error", reject).once("close", () => resolve(text));
    });
    answers.push(answer);
  }
  return answers;
};

const message = (method: string) => `${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const HEADERS = [
  "Content-Security-Policy: default-src 'self'",
  "X-Content-Type-Options: nosniff",
  "X-Frame-Options: DENY",
  "Referrer-Policy: ",
  "Permissions-Policy: ",
  "Strict-Transport-Security: ",
];

test.each([
  ["TRACE", 405],
  ["PROPFIND", 405],
  ["BREW", 400],
])("%s never reaches Next, and is answered with %i and the security headers", async (method, status) => {
  const reached: (string | undefined)[] = [];
  const answers = await speak([message(method), message("GET"), message(method)], (request, response) => {
    reached.push(request.method);
    response.end("ok");
  });
  // Node's parser answers the first one of all alone, before the server is known.
  for (const answer of method === "BREW" ? answers.slice(2) : [answers[0], answers[2]]) {
    expect(answer?.split(" ")[1]).toBe(String(status));
    for (const header of HEADERS) expect(answer).toContain(header);
  }
  expect(reached).toEqual(["GET"]);
});

test("usual methods are left to Next, whose headers depend on the page", async () => {
  const [answer] = await speak([message("GET")]);
  expect(answer).not.toContain("Content-Security-Policy");
});

test("what the parser rejects keeps its status", async () => {
  const long = `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`;
  const [, ...answers] = await speak([message("GET"), message("BREW"), long, "nonsense\r\n\r\n"]);
  expect(answers.map((answer) => answer.split("\r\n")[0])).toEqual([
    "HTTP/1.1 400 Bad Request",
    "HTTP/1.1 431 Request Header Fields Too Large",
    "HTTP/1.1 400 Bad Request",
  ]);
});

test("a response that has begun is not mixed with another", async () => {
  const [, answer = ""] = await speak(
    [message("GET"), "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nbroken\r\n"],
    (request, response) => {
      if (request.method === "GET") return void response.end("ok");
      response.write("begun");
    },
  );
  expect(answer.match(/HTTP\/1\.1/g) ?? []).toHaveLength(answer.includes("begun") ? 1 : 0);
  expect(answer).not.toContain("400 Bad Request");
});

test("malformed percent-encoding never reaches Next, which crashes on it", async () => {
  const reached: (string | undefined)[] = [];
  const paths = ["/%", "/app/%E0%A4%A?a=1", "/api/users/me/%/", "/%41?a=%", "/api/users/me/?a=%"];
  await speak(
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    (request, response) => {
      reached.push(request.url);
      response.end("ok");
    },
  );
  expect(reached).toEqual(["/malformed", "/malformed", "/api/malformed", "/%41?a=%", "/api/users/me/?a=%"]);
});
