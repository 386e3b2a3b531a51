import type { RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { SECOND_MS } from "#lib/core/time.ts";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { startNameServer } from "#tests/support/name-server.ts";
import { startPages } from "#tests/support/page-server.ts";

const receiver = async (answer: RequestListener, options?: Parameters<typeof startPages>[1]) => {
  const server = await startPages(answer, options);
  onTestFinished(() => server.close());
  return server;
};

const names = async (...input: Parameters<typeof startNameServer>) => {
  const server = await startNameServer(...input);
  onTestFinished(() => server.close());
  return server;
};

const client = (options: Partial<LinksOptions> = {}) =>
  createLinks({ userAgent: "test", nameServers: ["127.0.0.1:9"], ...options });

const REQUEST = { headers: { "webhook-id": "1" }, body: "{}", timeoutMs: 10 * SECOND_MS, excerptBytes: 100 };

const postTo = async (answer: RequestListener, more: Partial<typeof REQUEST> = {}) => {
  const server = await receiver(answer);
  const posted = await client({ allowedHosts: [server.host] }).post(`http://${server.host}/a`, { ...REQUEST, ...more });
  return { posted, server };
};

test("sends the body with its headers, and no others than needed", async () => {
  const bodies: string[] = [];
  const { posted, server } = await postTo((request, response) => {
    request.on("data", (chunk) => bodies.push(String(chunk))).on("end", () => response.writeHead(202).end("Thanks"));
  });
  expect(posted).toEqual({ kind: "answered", status: 202, excerpt: "Thanks" });
  expect(bodies).toEqual(["{}"]);
  const names = Object.keys(server.requests[0]?.headers ?? {}).toSorted();
  expect(names).toEqual(["accept-encoding", "connection", "content-length", "host", "webhook-id"]);
});

test("doesn't follow redirects", async () => {
  const { posted, server } = await postTo(
    (_request, response) => void response.writeHead(307, { location: "/b" }).end(),
  );
  expect(posted).toMatchObject({ kind: "answered", status: 307 });
  expect(server.requests).toHaveLength(1);
});

test("reads only the beginning of an endless answer, without NUL and half characters", async () => {
  const { posted } = await postTo((_request, response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write("\u0000é".repeat(10_000)));
    };
    response.on("drain", pour);
    pour();
  });
  expect(posted).toEqual({ kind: "answered", status: 200, excerpt: "é".repeat(33) });
});

test("keeps the status of an answer that hangs or breaks off", async () => {
  const hanging = await postTo((_request, response) => void response.writeHead(500).write("half"), { timeoutMs: 500 });
  expect(hanging.posted).toEqual({ kind: "answered", status: 500, excerpt: "half" });
  const broken = await postTo((_request, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("half", () => response.destroy());
  });
  expect(broken.posted).toMatchObject({ kind: "answered", status: 200 });
});

test("says when nothing responds in time, and when nothing listens", async () => {
  expect((await postTo(() => {}, { timeoutMs: 300 })).posted).toEqual({ kind: "timeout" });
  const server = await receiver(() => {});
  await server.close();
  const links = client({ allowedHosts: [server.host] });
  expect(await links.post(`http://${server.host}/`, REQUEST)).toEqual({ kind: "no_answer" });
});

test("refuses addresses that aren't public, when it is typed and when a name leads to one", async () => {
  const server = await names({
    "inside.test": () => ["10.0.0.7"],
    "rebound.test": () => ["93.184.216.34", "127.0.0.1"],
  });
  const links = client({ nameServers: [server.address] });
  const refused = ["http://127.0.0.1", "https://[::1]/", "https://169.254.169.254/latest", "https://2130706433/"];
  const typed = ["https://a.example:8443/", "https://u:p@a.example/", "ftp://a.example/", "file:///etc/passwd", "no"];
  for (const url of [...refused, ...typed]) {
    expect([url, links.acceptsPosts(url)]).toEqual([url, "refused"]);
    expect(await links.post(url, REQUEST)).toEqual({ kind: "refused" });
  }
  for (const url of ["https://inside.test/", "https://rebound.test/"]) {
    expect(links.acceptsPosts(url)).toBe("yes");
    expect(await links.post(url, REQUEST)).toEqual({ kind: "refused" });
  }
});

test("refuses http, and certificates that browsers refuse", async () => {
  expect(client().acceptsPosts("http://a.example/")).toBe("insecure");
  expect(await client().post("http://a.example/", REQUEST)).toEqual({ kind: "insecure" });
  const server = await receiver((_request, response) => void response.end(), { isSecure: true });
  const links = client({ allowedHosts: [server.host] });
  expect(await links.post(`https://${server.host}/`, REQUEST)).toEqual({ kind: "untrusted" });
});
