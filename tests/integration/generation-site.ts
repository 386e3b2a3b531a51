import type { RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type NameServer, startNameServer } from "#tests/support/name-server.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";
import { generationSetup } from "./generation-harness.ts";

export const show = (html: string): RequestListener => {
  return (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(html);
};
export const refuse = (status: number): RequestListener => {
  return (_request, response) => void response.writeHead(status).end();
};

/** A site whose pages a test's generations read. Each test has its own host, since requests to one are limited. */
interface TestSite {
  /** Answers all requests; set by each test. */
  answer: RequestListener;
  readonly host: string;
  /** The requests of this test. */
  readonly requests: PageServer["requests"];
  url(path: string): string;
}

/** Creates a file's setup for generating from pages. @param tests at least as many as the file has */
export const siteSetup = (name: string, tests: number) => {
  const hosts = Array.from({ length: tests }, (_, n) => `${name}${n}.test`);
  let server: PageServer;
  let names: NameServer;
  let current = -1;
  const site: TestSite = {
    answer: refuse(404),
    get host() {
      return hosts[current] ?? "";
    },
    get requests() {
      return server.requests;
    },
    url: (path) => `http://${site.host}:${server.port}${path}`,
  };
  // Before the setup, whose client needs both.
  beforeAll(async () => {
    server = await startPages((request, response) => site.answer(request, response));
    names = await startNameServer(Object.fromEntries(hosts.map((host) => [host, () => ["127.0.0.1"]])));
  });
  const setup = generationSetup(() => ({
    allowedHosts: hosts.map((host) => `${host}:${server.port}`),
    nameServers: [names.address],
  }));
  beforeEach(() => {
    current += 1;
    server.requests.length = 0;
  });
  afterAll(() => Promise.all([server.close(), names.close()]));
  return { site, setup };
};
