import { beforeAll, describe, expect, inject, test } from "vitest";
import { FONT_PAIRINGS } from "#lib/core/images.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { act as actOn } from "./wire-act.ts";
import { databaseAt } from "./wire-database.ts";
import { type Creator, insertCreator, openSession, type Session } from "./wire-harness.ts";

const database = databaseAt(() => inject("app").databaseUrl);
const act = (name: string, argument: unknown, headers: Record<string, string>) =>
  actOn({ callApp }, name, argument, headers);

let owner: Creator;
let stranger: Session;
/** The id of a video that the owner saved. */
let videoId: string;

beforeAll(async () => {
  owner = await insertCreator(clientOf(inject("app")), 1);
  const call = "/api/users/save_tiktok_videos/";
  const videos = [{ video_url: "https://www.tiktok.com/@moss/video/7300000000000000001", title: "Moss" }];
  await owner.user.call(call, { method: "POST", body: { videos } });
  videoId = Object((await owner.user.call(call)).json).results[0].id;
  stranger = await openSession({ callApp });
}, 120_000);

const fromOurs = (cookie: string) => ({ cookie, origin: inject("app").baseUrl });
const pinOf = async () => (await database()`select * from pins where id = ${owner.pinIds[0] ?? ""}`)[0];
const videoOf = async () => (await database()`select * from saved_videos where id = ${videoId}`)[0];
const zoneOf = async ({ person }: Session) =>
  (await database()`select time_zone from users where email = ${person.email}`)[0]?.time_zone;

const WRITING = { words: null, signature: "", hasLogo: false };
const COLORS = { panel: "#112233", words: "#ffffff", accent: "#445566" };
/** The owner's second subscription, which only they may cancel immediately. */
const HELD_ID = "sub_held_of_the_owner";

/** Every action on a user's own data, as another user would call it. */
const OWN_ACTIONS: Record<string, () => object> = {
  editDraftAction: () => ({ title: "Mine now" }),
  readPinAction: () => ({}),
  recheckLinkAction: () => ({}),
  deleteDraftsAction: () => ({ pinIds: [owner.pinIds[0]] }),
  restoreDraftsAction: () => ({ pinIds: [owner.pinIds[0]] }),
  previewEditsAction: () => ({ pinIds: [owner.pinIds[0]], change: { link: null } }),
  editDraftsAction: () => ({ pinIds: [owner.pinIds[0]], change: { link: null } }),
  undoEditsAction: () => ({
    editedAt: new Date().toISOString(),
    edits: [{ pinId: owner.pinIds[0] ?? "", link: null }],
  }),
  duplicatePinsAction: () => ({ pinIds: [owner.pinIds[0]], boardIds: ["1"] }),
  reschedulePinAction: () => ({ at: new Date().toISOString() }),
  publishNowAction: () => ({}),
  retryPinAction: () => ({}),
  recordReviewAction: () => ({ review: "approved" }),
  listReviewedAction: () => ({ accountId: owner.accountId, review: "approved" }),
  previewScheduleAction: () => ({ post_ids: [owner.pinIds[0]], interval_minutes: 60 }),
  regenerateImageAction: () => ({ quality: "standard" }),
  undoRegenerationAction: () => ({}),
  readRegenerationAction: () => ({}),
  readPinPageAction: () => ({}),
  previewTextAction: () => ({ accountId: owner.accountId, keyword: "Moss", url: "" }),
  suggestTextAction: () => ({ part: "title", instead: "" }),
  applyTemplateAction: () => ({ pinIds: [owner.pinIds[0]], template: "label", ...WRITING }),
  removeTemplateAction: () => ({ pinIds: [owner.pinIds[0]] }),
  previewTemplatesAction: () => ({ accountId: owner.accountId, templates: ["label"], ...WRITING }),
  readBrandingAction: () => ({ accountId: owner.accountId }),
  requestSyncAction: () => ({ accountId: owner.accountId }),
  readVariantsAction: () => ({ accountId: owner.accountId }),
  saveVoiceAction: () => ({
    ...{ accountId: owner.accountId, about: "Warm.", wordsToUse: ["cozy"], wordsToAvoid: [], language: null },
    ...{ hasEmoji: false, hasHashtags: true, imageStyle: null, imageAbout: "", hasBrandColors: false },
    ...{ ownStyles: [{ name: "Lino", about: "A linocut print." }], ownStyle: "Lino" },
  }),
  saveKitAction: () => ({ accountId: owner.accountId, colors: COLORS, fontPairing: FONT_PAIRINGS[0] }),
  removeLogoAction: () => ({ accountId: owner.accountId }),
  cancelHeldSubscriptionAction: () => ({ id: HELD_ID }),
  deleteVideosAction: () => ({ ids: [videoId] }),
  restoreVideosAction: () => ({ ids: [videoId] }),
  editSavedVideoAction: () => ({ id: videoId, tags: ["mine now"], notes: "Mine now" }),
};

/** Arguments that no action expects. */
const HOSTILE = [
  null,
  7,
  [],
  {},
  { pinId: null },
  { pinId: { $ne: "" } },
  { pinId: "" },
  { pinId: "' or 1=1 --" },
  { pinId: `pin_${"0".repeat(25)}\u0000` },
  { pinId: "x".repeat(5_000) },
  { pinId: `pin_${"0".repeat(26)}`, title: "\u0000", link: "javascript:alert(1)", boardId: "../" },
];

describe("server actions", () => {
  test("R-API-31 R-ROLE-04 another user's ids are not found, and nothing changes or leaks", async () => {
    const before = await pinOf();
    const video = await videoOf();
    expect([before?.status, video?.title]).toEqual(["draft", "Moss"]);
    for (const [name, more] of Object.entries(OWN_ACTIONS)) {
      const { status, result, text } = await act(
        name,
        { pinId: owner.pinIds[0], ...more() },
        fromOurs(stranger.cookie),
      );
      expect([name, status, result]).toEqual([
        name,
        200,
        { ok: false, code: "not_found", text: "We can't find this. It may have been deleted." },
      ]);
      expect(text).not.toContain(owner.keywords[0]);
    }
    expect([await pinOf(), await videoOf()]).toEqual([before, video]);
  });

  test("R-API-30 they require a session cookie; a bearer token is not accepted", async () => {
    const before = await pinOf();
    const attempts: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${stranger.token}` },
      { cookie: "next-auth.session-token=x" },
    ];
    for (const headers of attempts) {
      for (const [name, more] of Object.entries(OWN_ACTIONS)) {
        const { status, result } = await act(
          name,
          { pinId: owner.pinIds[0], ...more() },
          { origin: inject("app").baseUrl, ...headers },
        );
        // Requests without cookies are answered before they reach the action.
        if (status !== 307) expect(result).toMatchObject({ ok: false, code: "unauthenticated" });
      }
    }
    expect(await pinOf()).toEqual(before);
  });

  test("R-BULK-08 saved images are found by digest for any signed-in user", async () => {
    const none = { digests: ["0".repeat(64)] };
    const without = { origin: inject("app").baseUrl, cookie: "next-auth.session-token=x" };
    expect((await act("findSavedUploadsAction", none, without)).result).toMatchObject({
      ok: false,
      code: "unauthenticated",
    });
    expect((await act("findSavedUploadsAction", none, fromOurs(stranger.cookie))).result).toEqual({
      ok: true,
      value: [],
    });
    for (const digests of [
      null,
      "x",
      ["x"],
      [7],
      ["../../etc/passwd"],
      Array.from({ length: 101 }, () => none.digests[0]),
    ]) {
      const { result } = await act("findSavedUploadsAction", { digests }, fromOurs(stranger.cookie));
      expect([digests, result]).toMatchObject([digests, { ok: false, code: "invalid" }]);
    }
  });

  test("they reject other origins", async () => {
    const argument = { timeZone: "Europe/Lisbon" };
    for (const origin of ["https://evil.example", "null"]) {
      const { status, result } = await act("setTimeZoneAction", argument, { ...fromOurs(stranger.cookie), origin });
      expect([status >= 400, result]).toEqual([true, undefined]);
    }
    expect(await zoneOf(stranger)).toBe("UTC");
    const { result } = await act("setTimeZoneAction", argument, fromOurs(stranger.cookie));
    expect([result?.ok, await zoneOf(stranger)]).toEqual([true, "Europe/Lisbon"]);
  });

  test.each(Object.keys(OWN_ACTIONS))(
    "bad input to %s is refused as invalid or not found, and never fails on our end",
    async (name) => {
      for (const argument of HOSTILE) {
        const { status, result } = await act(name, argument, fromOurs(stranger.cookie));
        expect([argument, status]).toEqual([argument, 200]);
        expect(result).toMatchObject({ ok: false, code: expect.stringMatching(/^(invalid|not_found)$/) });
      }
    },
  );

  test("invalid time zones and links are rejected without a 500", async () => {
    for (const timeZone of [7, "", "Mars/Olympus", "UTC\u0000", "'; --", "x".repeat(500)]) {
      for (const name of ["setTimeZoneAction", "chooseTimeZoneAction"]) {
        const { result } = await act(name, { timeZone }, fromOurs(stranger.cookie));
        expect([name, timeZone, result]).toMatchObject([name, timeZone, { ok: false, code: "invalid" }]);
      }
    }
    for (const token of [7, "", "short", "\u0000".repeat(40), "t".repeat(43), "t".repeat(500)]) {
      const { result } = await act("verifyEmailAction", { token }, fromOurs(stranger.cookie));
      const refused = { ok: false, code: "invalid" };
      expect([refused, { ok: true, value: { kind: "invalid_link" } }]).toContainEqual(
        result.ok ? result : { ok: result.ok, code: result.code },
      );
    }
  });
});
