import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Answers, siteListener } from "#tests/support/fixture-site/site.ts";
import { type NameServer, startNameServer } from "#tests/support/name-server.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";
import { generationSetup } from "./generation-harness.ts";

/** Each test has its own site, since requests to one are limited per minute. */
const HOSTS = Array.from({ length: 50 }, (_, n) => `fern${n}.test`);

/** A generation setup with the fixture site, under a name of its own for each test. */
export const sitesSetup = () => {
  let site: PageServer;
  let names: NameServer;
  let answers: Answers = {};
  let hosts = 0;
  let origin = "";
  // Before the setup, whose client needs both.
  beforeAll(async () => {
    site = await startPages(siteListener(() => answers));
    const here = Object.fromEntries(HOSTS.map((name) => [name, () => ["127.0.0.1"]]));
    names = await startNameServer({ ...here, "inside.test": () => ["10.0.0.7"], "down.test": () => "broken" });
  });
  const setup = generationSetup(() => ({
    allowedHosts: HOSTS.map((name) => `${name}:${site.port}`),
    nameServers: [names.address],
  }));
  /** The origin of a site that no test has used. */
  const nextOrigin = (): string => {
    origin = `http://${HOSTS[hosts] ?? ""}:${site.port}`;
    hosts += 1;
    return origin;
  };
  beforeEach(() => {
    nextOrigin();
    answers = {};
    site.requests.length = 0;
  });
  afterAll(() => Promise.all([site.close(), names.close()]));
  return {
    ...{ setup, nextOrigin },
    /** Where the test's site is. */
    origin: () => origin,
    /** Adds answers to the fixture site's pages. */
    serve: (more: Answers) => {
      answers = { ...answers, ...more };
    },
    requests: () => site.requests,
  };
};
