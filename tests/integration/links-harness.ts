import type { RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { sha256 } from "#lib/core/crypto.ts";
import { checkLink, sendCheckEvents } from "#lib/features/links/checks.ts";
import { type CheckRequested, checkRequested, NEW_CHECK_PROGRESS } from "#lib/features/links/schema.ts";
import { readPin } from "#lib/features/pins/library.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { type NameServer, startNameServer } from "#tests/support/name-server.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

/** Host names that resolve to the test site, including a link shortener. */
const NAMES = ["shop.test", "www.shop.test", "other.test", "bit.ly"] as const;

/** Long enough for a busy machine; tests of unresponsive pages use a shorter timeout. */
const PATIENCE_MS = 20_000;
const SHORT_TIMEOUT_MS = 1_500;

type Page = number | { to: string } | RequestListener;

const listenerOf = (page: Page): RequestListener => {
  if (typeof page === "function") return page;
  return (_request, response) => {
    if (typeof page === "number") response.writeHead(page).end();
    else response.writeHead(302, { location: page.to }).end();
  };
};

/** A test setup for links: a site with configurable pages, and checks that run as in the durable function. */
export const linksSetup = () => {
  const pages = new Map<string, RequestListener>();
  let site: PageServer;
  let names: NameServer;
  const options = (timeoutMs: number) => ({
    allowedHosts: NAMES.map((name) => `${name}:${site.port}`),
    nameServers: [names.address],
    timeoutMs,
  });
  const setup = publishingSetup(() => options(PATIENCE_MS));
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
  /** Adds a page. @returns its URL. */
  const page = (answer: Page, name: (typeof NAMES)[number] = "shop.test"): string => {
    paths += 1;
    pages.set(`/${paths}`, listenerOf(answer));
    return `http://${name}:${site.port}/${paths}`;
  };
  /** Changes the response of a page. */
  const change = (url: string, answer: Page): void => void pages.set(new URL(url).pathname, listenerOf(answer));
  /** Shortens the timeout of the test's checks. */
  const beImpatient = (): void => {
    setup.harness.ports.links = createLinks({ userAgent: "test", ...options(SHORT_TIMEOUT_MS) });
  };
  /** The check events sent for a URL. */
  const requested = (url: string): (CheckRequested & { id: string })[] =>
    setup.harness.sentEvents
      .filter(({ name, data }) => name === "links/check.requested" && data.urlHash === sha256(url))
      .map(({ id, data }) => ({ id, ...checkRequested.parse(data) }));
  /** Runs the latest check of a URL, moving the clock instead of sleeping. @returns how it ended. */
  const check = async (url: string): Promise<string> => {
    const request = requested(url).at(-1);
    if (!request) return "not_requested";
    let progress = NEW_CHECK_PROGRESS;
    for (let round = 0; round < 30; round += 1) {
      const move = await checkLink(setup.job(), { ...request, ...progress });
      if (move.kind === "done") return move.state;
      progress = move;
      await setup.moveClock(move.afterMs);
    }
    return "never_done";
  };
  /** A draft with this link, whose check events have been sent. */
  const draftTo = async (creator: Creator, link: string) => {
    const pinId = await setup.draft(creator, { link });
    await sendCheckEvents(creator.ctx, { links: [link] });
    return pinId;
  };
  const postOf = async (creator: Creator, pinId: string) => (await readPin(creator.ctx, { pinId })).post;
  /** How many requests a page received. */
  const visits = (url: string): number =>
    site.requests.filter((request) => request.url === new URL(url).pathname).length;

  return Object.assign(setup, {
    ...{ page, change, beImpatient, requested, check, draftTo, postOf, visits },
    portOf: () => site.port,
  });
};
