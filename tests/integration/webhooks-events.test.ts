import { describe, expect, test } from "vitest";
import { inTransaction } from "#lib/context.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { reserveCredits } from "#lib/features/credits/reservations.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { applyDecision } from "#lib/features/publishing/attempts.ts";
import { FAILED_RUNS_MAX } from "#lib/features/publishing/constants.ts";
import { claimPin, releasePin, sendPin } from "#lib/features/publishing/publisher.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { listDeliveries } from "#lib/features/webhooks/deliveries.ts";
import { linksSetup } from "./links-harness.ts";
import { CREATE, type Creator } from "./publishing-harness.ts";
import { addEndpoint, recordedEvents } from "./webhooks-harness.ts";

const setup = linksSetup();

const withEndpoint = async (...events: Parameters<typeof addEndpoint>[1][]) => {
  const creator = await setup.insertCreator();
  const endpoint = await addEndpoint(creator.ctx, ...events);
  return { creator, endpoint };
};

const publish = async (creator: Creator, fault?: string) => {
  const scheduled = await setup.scheduled(creator, { title: "Ferns" });
  if (fault !== undefined) {
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: fault, where });
  }
  await setup.drive(scheduled);
  return scheduled;
};

describe("pin.published is recorded once", () => {
  test.each([
    ["when Pinterest answers", undefined],
    ["when it is found on its board", "reply-lost-after-creating"],
    ["when it is sent again", "unavailable"],
  ])("%s", async (_, fault) => {
    const { creator } = await withEndpoint();
    const { pinId } = await publish(creator, fault);
    const { pinterestPinId, publishedAt, link } = await setup.pin(pinId);
    expect(await recordedEvents(creator.ctx)).toEqual([
      {
        type: "pin.published",
        timestamp: expect.any(String),
        data: {
          ...{ pin_id: pinId, account_id: creator.account.id, board_id: creator.boardId, title: "Ferns", link },
          ...{ pinterest_pin_id: pinterestPinId, published_at: publishedAt?.toISOString() },
        },
      },
    ]);
  });

  test("when its user takes it off the schedule after Pinterest created it", async () => {
    const { creator } = await withEndpoint();
    const scheduled = await setup.scheduled(creator);
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error("The pin is not due.");
    await sendPin(setup.job(), { ...scheduled, attemptId: claim.attemptId });
    await expect(unschedulePin(creator.ctx, { pinId: scheduled.pinId })).rejects.toMatchObject({ code: "wrong_state" });
    expect((await recordedEvents(creator.ctx)).map(({ type }) => type)).toEqual(["pin.published"]);
  });

  test("when the step that decides runs twice", async () => {
    const { creator } = await withEndpoint();
    const { pinId } = await publish(creator);
    const decision = { outcome: "created", pinterestPinId: "1", publishedAt: new Date() } as const;
    await inTransaction(setup.job(), (tx) =>
      applyDecision(tx, { pinId, attemptId: null }, { kind: "published", ...decision }),
    );
    expect(await recordedEvents(creator.ctx)).toHaveLength(1);
  });
});

describe("pin.failed is recorded once per schedule", () => {
  test("when Pinterest refuses it", async () => {
    const { creator } = await withEndpoint();
    const { pinId } = await publish(creator, "image-broken");
    const { reason } = await setup.pin(pinId);
    expect(await recordedEvents(creator.ctx)).toMatchObject([
      { type: "pin.failed", data: { pin_id: pinId, reason, may_be_published: false } },
    ]);
  });

  test("when its runs keep failing", async () => {
    const { creator } = await withEndpoint();
    const scheduled = await setup.scheduled(creator);
    for (let run = 0; run <= FAILED_RUNS_MAX; run += 1) {
      await releasePin(setup.job(), scheduled);
      await setup.moveClock(DAY_MS);
    }
    expect(await recordedEvents(creator.ctx)).toMatchObject([{ type: "pin.failed" }]);
  });
});

test("account.lost is recorded when Pinterest ends the connection, and not again", async () => {
  const { creator } = await withEndpoint();
  const { id, username } = creator.account;
  await setup.pinterest.revoke(username);
  const read = () => withAccessToken(setup.job(), id, (token) => setup.job().pinterest.readProfile(token));
  for (let call = 0; call < 2; call += 1) await expect(read()).rejects.toMatchObject({ code: "reconnect_needed" });
  expect(await recordedEvents(creator.ctx)).toMatchObject([
    { type: "account.lost", data: { account_id: id, username } },
  ]);
});

test("credits.low is recorded when the balance drops below ten", async () => {
  const { creator } = await withEndpoint();
  const { ctx, userId } = creator;
  await grantCredits(ctx, { userId, credits: 20, note: "", cause: `test:${userId}` });
  const hold = (reference: string, costCredits: number) =>
    inTransaction(ctx, (tx) => reserveCredits(tx, { userId, lots: [{ reference, costCredits }] }));
  await hold(`a-${userId}`, 10);
  expect(await recordedEvents(ctx)).toEqual([]);
  await hold(`b-${userId}`, 8);
  await hold(`c-${userId}`, 1);
  const { availableCredits } = await hold(`d-${userId}`, 1);
  expect(await recordedEvents(ctx)).toMatchObject([
    { type: "credits.low", data: { available_credits: availableCredits + 2 } },
  ]);
});

test("link.dead is recorded for each owner of the link who wants it", async () => {
  const { creator } = await withEndpoint();
  const other = await setup.insertCreator();
  await addEndpoint(other.ctx, ["pin.failed"]);
  const url = setup.page(200);
  const pinId = await setup.draftTo(creator, url);
  await setup.draftTo(other, url);
  await setup.check(url);
  setup.change(url, 404);
  await setup.moveClock(HOUR_MS);
  await recheckLink(creator.ctx, { pinId });
  expect(await setup.check(url)).toBe("dead");
  expect(await recordedEvents(creator.ctx)).toMatchObject([{ type: "link.dead", data: { link: url } }]);
  expect(await recordedEvents(other.ctx)).toEqual([]);
});

test("each endpoint gets what it chose, and nothing is written without one or while it is off", async () => {
  const { creator, endpoint } = await withEndpoint();
  const failures = await addEndpoint(creator.ctx, ["pin.failed"]);
  const none = await setup.insertCreator();
  await publish(creator);
  await publish(none);
  const listed = async ({ endpointId }: typeof endpoint) =>
    (await listDeliveries(creator.ctx, { endpointId, limit: 20 })).deliveries.map(({ type }) => type);
  expect([await listed(endpoint), await listed(failures)]).toEqual([["pin.published"], []]);
  expect(await recordedEvents(none.ctx)).toEqual([]);
});
