import { beforeAll, describe, expect, inject, test } from "vitest";
import { creatorPathOf } from "#lib/core/paths.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { pathOf, surfacePages } from "#tests/support/surface.ts";
import { PAGE_SPECS, type PageSpec } from "#tests/support/surface-pages.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { surfaceUsersForFile, withMalformedIds, withUnknownIds } from "./surface-harness.ts";
import { bearer } from "./wire-harness.ts";

const pages = surfacePages();
const users = surfaceUsersForFile();
const rowsOf = (access: PageSpec["access"]) =>
  pages.filter((pattern) => PAGE_SPECS[pattern]?.access === access).map((pattern) => [pattern] as const);

let ended: SurfaceUser;
beforeAll(async () => {
  ended = await users().insert();
  await callApp("/api/auth/logout/", { method: "POST", headers: bearer(ended.token) });
}, 60_000);

const open = (pattern: string, { from, cookie }: { from: SurfaceUser; cookie?: string }) => {
  const { params, query } = PAGE_SPECS[pattern] ?? {};
  const creator =
    creatorPathOf(inject("app").env.PRODUCT_NAME ?? "Evertack")
      .split("/")
      .at(-1) ?? "";
  const path = pathOf(pattern, (name) => (name === "creator" ? creator : (params?.[name] ?? "x")));
  const headers = cookie === undefined ? {} : { cookie: `next-auth.session-token=${cookie}` };
  return callApp(`${path}?${new URLSearchParams(query?.(from))}`, { headers: Object(headers) });
};
const secretsIn = (text: string, { secrets }: SurfaceUser) => secrets.filter((secret) => text.includes(secret));

test("every page is declared in tests/support/surface-pages.ts, and nothing else is", () => {
  expect(pages.toSorted()).toEqual(Object.keys(PAGE_SPECS).toSorted());
});

describe("R-ROLE-04 screens", () => {
  test.each(rowsOf("screen"))(
    "%s leads to the sign-in page without a login, and with an ended or a broken one",
    async (pattern) => {
      const { owner } = users();
      for (const cookie of [undefined, ended.cookie, owner.cookie.slice(0, -6), "x", owner.token]) {
        const { status, headers, text } = await open(pattern, { from: owner, ...(cookie !== undefined && { cookie }) });
        expect([cookie, status, headers.get("location")]).toEqual([
          cookie,
          307,
          expect.stringMatching(/\/login\?next=/),
        ]);
        expect(secretsIn(text, owner)).toEqual([]);
      }
    },
  );

  test.each(rowsOf("screen"))(
    "%s shows the user's own data, and never another's, whatever the ids in its query",
    async (pattern) => {
      const { owner, stranger } = users();
      for (const from of [stranger, owner, withUnknownIds(owner), withMalformedIds(owner)]) {
        const { status, text } = await open(pattern, { from, cookie: stranger.cookie });
        expect([status, secretsIn(text, owner)]).toEqual([200, []]);
      }
    },
  );
});

test.each(rowsOf("public"))("%s is the same for a visitor and for a signed-in user", async (pattern) => {
  const { owner } = users();
  for (const cookie of [undefined, ended.cookie, owner.cookie]) {
    const { status, text } = await open(pattern, { from: owner, ...(cookie !== undefined && { cookie }) });
    expect([cookie, status, secretsIn(text, owner)]).toEqual([cookie, 200, []]);
  }
});
