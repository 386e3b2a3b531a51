import type { RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { sha256 } from "#lib/core/crypto.ts";
import { announceChecks, checkLink } from "#lib/features/links/checks.ts";
import { type CheckRequested, checkRequested } from "#lib/features/links/schema.ts";
import { readPost } from "#lib/features/pins/library.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { type NameServer, startNameServer } from "#tests/support/name-server.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

/** Names that stand for the site of the tests; one of them is a shortener's. */
const NAMES = ["shop.test", "www.shop.test", "other.test", "bit.ly"] as const;

/** Long enough that no page counts as silent because the machine was busy; and for the tests of one that is. */
const PATIENCE_MS = 20_000;
const IMPATIENT_MS = 1_500;

type Page = number | { to: string } | RequestListener;

const listenerOf = (page: Page): RequestListener => {
  if (typeof page === "function") return page;
  return (_request, response) => {
    if (typeof page === "number") response.writeHead(page).end();
    else response.writeHead(302, { location: page.to }).end();
  };
};

/** The world of a test about links: a site whose pages answer as they are told, and checks that run as the function runs them. */
export const linksWorld = () => {
  const pages = new Map<string, RequestListener>();
  let site: PageServer;
  let names: NameServer;
  const options = (timeoutMs: number) => ({
    allowedHosts: NAMES.map((name) => `${name}:${site.port}`),
    nameServers: [names.address],
    timeoutMs,
  });
  const world = publishingWorld(() => options(PATIENCE_MS));
  beforeAll(async () => {
    site = await startPages((request, response) => {
      const answer = pages.get(request.url ?? "");
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    const here = Object.fromEntries(NAMES.map((name) => [name, () => ["127.0.0.1"]]));
    names = await startNameServer({ ...here, "inside.test": () => ["10.0.0.7"], "broken.test": () => "broken" });
  });
  beforeEach(() => {
    pages.clear();
    site.requests.length = 0;
  });
  afterAll(() => Promise.all([site.close(), names.close()]));

  let paths = 0;
  /** A page of its own for the calling test. @returns its address. */
  const page = (answer: Page, name: (typeof NAMES)[number] = "shop.test"): string => {
    paths += 1;
    pages.set(`/${paths}`, listenerOf(answer));
    return `http://${name}:${site.port}/${paths}`;
  };
  /** Makes a page that is there answer otherwise. */
  const change = (url: string, answer: Page): void => void pages.set(new URL(url).pathname, listenerOf(answer));
  /** Looks of the calling test no longer wait long for an answer. */
  const beImpatient = (): void => {
    world.house.ports.links = createLinks({ userAgent: "test", ...options(IMPATIENT_MS) });
  };
  /** What the engine was asked to check, for an address. */
  const asked = (url: string): (CheckRequested & { id: string })[] =>
    world.house.sentEvents
      .filter(({ name, data }) => name === "links/check.requested" && data.urlHash === sha256(url))
      .map(({ id, data }) => ({ id, ...checkRequested.parse(data) }));
  /** Checks an address for the last request, sleeping by moving the clock. @returns what it ended with. */
  const check = async (url: string): Promise<string> => {
    const request = asked(url).at(-1);
    if (!request) return "not_asked";
    let looks = 0;
    for (let round = 0; round < 30; round += 1) {
      const move = await checkLink(world.job(), { ...request, looks });
      if (move.kind === "done") return move.state;
      looks = move.looks;
      await world.moveClock(move.afterMs);
    }
    return "never_done";
  };
  /** A draft that leads there, its check announced as the verbs do that make pins. */
  const draftTo = async (maker: Maker, link: string) => {
    const pinId = await world.draft(maker, { link });
    await announceChecks(maker.ctx, { links: [link] });
    return pinId;
  };
  const postOf = async (maker: Maker, pinId: string) => (await readPost(maker.ctx, { pinId })).post;
  /** How often a page of the site was asked. */
  const visits = (url: string): number =>
    site.requests.filter((request) => request.url === new URL(url).pathname).length;

  return Object.assign(world, {
    ...{ page, change, beImpatient, asked, check, draftTo, postOf, visits },
    portOf: () => site.port,
  });
};

export type LinksWorld = ReturnType<typeof linksWorld>;
