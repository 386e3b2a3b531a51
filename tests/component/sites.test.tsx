import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { SitesScreen } from "#components/sites/sites-screen.tsx";
import type { SitePageWire, SiteWire, WatchesWire } from "#lib/features/sites/schema.ts";
import type { Answers } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const pageWire = (slug: string, more: Partial<SitePageWire> = {}): SitePageWire => ({
  ...{ url: `https://moss.example/${slug}`, title: `About ${slug}`, keyword: slug },
  ...{ image_url: null, date: "2026-11-20T00:00:00.000Z", pins: 0, last_published_at: null, problem: null },
  ...more,
});

const SITE: SiteWire = {
  ...{ kind: "feed", address: "https://moss.example/feed", name: "Moss Kitchen", total: 3, is_cut: false },
  pages: [
    pageWire("ferns"),
    pageWire("mugs", { pins: 2, last_published_at: "2026-10-02T08:00:00.000Z" }),
    pageWire("members", { problem: "The page asks visitors to sign in." }),
  ],
};

const NONE: WatchesWire = { watches: [], proposals: [] };
const WATCHED: WatchesWire = {
  watches: [
    {
      ...{ id: "wch_1", address: SITE.address, name: "Moss Kitchen", checked_at: "2026-11-26T08:00:00.000Z" },
      problem: "The site didn't respond in time.",
    },
  ],
  proposals: [
    {
      ...{ id: "prp_1", watch_id: "wch_1", url: "https://moss.example/new", title: "New ferns", keyword: "new ferns" },
      ...{ image_url: null, date: null },
    },
  ],
};

const open = (answers: Answers = {}, first = NONE) =>
  renderScreen(<SitesScreen first={first} creatorPath="/app/evertack-creator" />, { path: "/app/pages", answers });

const READ = "ACTION readSiteAction";

test("pages are found, filtered, given another keyword, and sent to the creator in the fragment", async () => {
  const { screen, calls } = await open({ [READ]: { ok: true, value: SITE } });
  // The same element, so that screen readers announce its text.
  const status = screen.container.querySelector("#found-status");
  await screen.getByRole("button", { name: "Find pages" }).click();
  await expect
    .element(screen.getByText("Enter the URL of your site, feed, or sitemap, or paste a list of page URLs."))
    .toBeVisible();
  expect(calls.to(READ)).toHaveLength(0);
  await screen.getByLabelText("Your site").fill("moss.example");
  await screen.getByRole("button", { name: "Find pages" }).click();
  await expect.element(screen.getByRole("heading", { name: "Moss Kitchen" })).toBeVisible();
  expect(calls.to(READ)[0]?.body).toEqual([{ text: "moss.example", search: "" }]);
  await expect.element(screen.getByText("Feed: 3 pages")).toBeVisible();
  expect(status).toHaveTextContent("Found 3 pages");
  await expect.element(screen.getByRole("row", { name: /mugs/ }).getByText("Oct 2, 2026 (2 pins)")).toBeVisible();
  const members = screen.getByRole("checkbox", { name: "About members" });
  await expect.element(members).toBeDisabled();
  await expect.element(members).toHaveAccessibleDescription("moss.example/members The page asks visitors to sign in.");
  await screen.getByRole("checkbox", { name: "Not pinned yet" }).click();
  await expect.element(screen.getByRole("row", { name: /mugs/ })).not.toBeInTheDocument();
  await screen.getByRole("checkbox", { name: "About ferns" }).click();
  const keyword = screen.getByLabelText("Keyword for About ferns");
  await keyword.fill("");
  await userEvent.tab();
  await expect.element(keyword).toHaveValue("ferns");
  await keyword.fill("indoor ferns");
  await screen.getByRole("checkbox", { name: "Use the pages’ own images" }).click();
  const link = screen.getByRole("link", { name: "Create pins" });
  await expect
    .element(link)
    .toHaveAttribute(
      "href",
      "/app/evertack-creator#keyword=indoor+ferns&url=https%3A%2F%2Fmoss.example%2Fferns&image=page",
    );
});

test("a site that can't be read says why", async () => {
  const text =
    "The site's robots.txt blocks apps like ours. If it's your site, allow us there. Otherwise, create pins from keywords.";
  const { screen } = await open({ [READ]: { ok: false, code: "refused", text } });
  await screen.getByLabelText("Your site").fill("moss.example");
  await screen.getByRole("button", { name: "Find pages" }).click();
  await expect.element(screen.getByRole("alert").getByText(text)).toBeVisible();
});

test("new pages of watched sites can be selected or dismissed, and a site that fails says why", async () => {
  const { screen, calls } = await open(
    { "ACTION dismissProposalsAction": { ok: true, value: { ...WATCHED, proposals: [] } } },
    WATCHED,
  );
  await expect.element(screen.getByText("The site didn't respond in time.")).toBeVisible();
  await screen.getByRole("checkbox", { name: "New ferns" }).click();
  await expect.element(screen.getByText("1 page selected")).toBeVisible();
  await screen.getByRole("button", { name: "Clear" }).click();
  await expect.element(screen.getByRole("heading", { name: /New pages/ })).toHaveFocus();
  await screen.getByRole("checkbox", { name: "New ferns" }).click();
  await screen.getByRole("button", { name: "Dismiss 1 page" }).click();
  await expect.element(screen.getByRole("heading", { name: /New pages/ })).not.toBeInTheDocument();
  expect(calls.to("ACTION dismissProposalsAction")[0]?.body).toEqual([{ proposalIds: ["prp_1"] }]);
  await expect.element(screen.getByRole("heading", { name: "Watched sites" })).toHaveFocus();
  await expect.element(screen.getByText("1 page selected")).not.toBeInTheDocument();
});

test("dismissing all new pages asks first", async () => {
  const { screen, calls } = await open(
    { "ACTION dismissProposalsAction": { ok: true, value: { ...WATCHED, proposals: [] } } },
    WATCHED,
  );
  await screen.getByRole("button", { name: "Dismiss all…" }).click();
  await expect.element(screen.getByRole("dialog", { name: "Dismiss 1 new page?" })).toBeVisible();
  await screen.getByRole("button", { name: "Keep them" }).click();
  await expect.element(screen.getByRole("checkbox", { name: "New ferns" })).toBeVisible();
  expect(calls.to("ACTION dismissProposalsAction")).toHaveLength(0);
  await screen.getByRole("button", { name: "Dismiss all…" }).click();
  await screen.getByRole("button", { name: "Dismiss 1 page" }).click();
  await expect.element(screen.getByRole("heading", { name: /New pages/ })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("heading", { name: "Watched sites" })).toHaveFocus();
});

test("pages of a site that is no longer watched aren't sent", async () => {
  const { screen } = await open({ "ACTION unwatchSiteAction": { ok: true, value: NONE } }, WATCHED);
  await screen.getByRole("checkbox", { name: "New ferns" }).click();
  await screen.getByRole("button", { name: "Stop watching Moss Kitchen" }).click();
  await screen.getByRole("button", { name: "Stop watching", exact: true }).click();
  await expect.element(screen.getByRole("heading", { name: /New pages/ })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("link", { name: "Create pins" })).not.toBeInTheDocument();
});

test("the badge in the menu counts the new pages that are left", async () => {
  const [proposal] = WATCHED.proposals;
  const second = { ...proposal, id: "prp_2", url: "https://moss.example/second", title: "More moss" };
  const states = [WATCHED, { ...WATCHED, proposals: [] }];
  let left = 2;
  const { screen } = await open(
    {
      "ACTION countProposalsAction": () => ({ ok: true, value: left }),
      "ACTION dismissProposalsAction": () => {
        left -= 1;
        return { ok: true, value: states.shift() };
      },
    },
    { ...WATCHED, proposals: [...WATCHED.proposals, second as WatchesWire["proposals"][number]] },
  );
  const badge = screen.getByRole("link", { name: "From Your Site 1 new page" });
  await expect.element(badge).not.toBeInTheDocument();
  await screen.getByRole("checkbox", { name: "More moss" }).click();
  await screen.getByRole("button", { name: "Dismiss 1 page" }).click();
  await expect.element(badge).toBeVisible();
  await screen.getByRole("checkbox", { name: "New ferns" }).click();
  await screen.getByRole("button", { name: "Dismiss 1 page" }).click();
  await expect.element(badge).not.toBeInTheDocument();
});

test("watching a site is offered once, and stopping asks first", async () => {
  const { screen, calls } = await open({
    [READ]: { ok: true, value: SITE },
    "ACTION watchSiteAction": { ok: true, value: { ...WATCHED, proposals: [] } },
    "ACTION unwatchSiteAction": { ok: true, value: NONE },
  });
  await screen.getByLabelText("Your site").fill("moss.example");
  await screen.getByRole("button", { name: "Find pages" }).click();
  await screen.getByRole("button", { name: "Watch for new pages" }).click();
  await expect.element(screen.getByText("You're watching this site.")).toBeVisible();
  await expect.element(screen.getByRole("heading", { name: "Moss Kitchen" })).toHaveFocus();
  expect(calls.to("ACTION watchSiteAction")[0]?.body).toEqual([{ text: SITE.address }]);
  await screen.getByRole("button", { name: "Stop watching Moss Kitchen" }).click();
  await screen.getByRole("button", { name: "Stop watching", exact: true }).click();
  await expect.element(screen.getByRole("button", { name: "Watch for new pages" })).toBeVisible();
});

test("a toast doesn't cover the bar of the selected pages", async () => {
  await page.viewport(390, 844);
  const { screen } = await open({
    [READ]: { ok: true, value: SITE },
    "ACTION watchSiteAction": { ok: true, value: WATCHED },
  });
  await screen.getByLabelText("Your site").fill("moss.example");
  await screen.getByRole("button", { name: "Find pages" }).click();
  await screen.getByRole("checkbox", { name: "About ferns" }).click();
  await screen.getByRole("button", { name: "Watch for new pages" }).click();
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
  await expect.poll(() => box("[data-slot=toast]")).toBeDefined();
  await expect
    .poll(() => (box("[data-slot=toast]")?.bottom ?? Infinity) - (box("[data-slot=page-selection]")?.top ?? 0))
    .toBeLessThanOrEqual(0);
});
