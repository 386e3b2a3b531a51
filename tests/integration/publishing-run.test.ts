import { describe, expect, test } from "vitest";
import { publishPin } from "#inngest/functions/publish-pin.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { until } from "#tests/support/poll.ts";
import { beHouseOfProcess } from "#tests/support/process-house.ts";
import { startHouse, untilEnded } from "./executor-house.ts";
import { CREATE, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

beHouseOfProcess(() => world.house);

/** The durable function itself under the real executor; events go to it as the jobs port would send them. */
const startEngine = async () => {
  const engine = await startHouse(world.database.url, () => [publishPin]);
  const deliver = () => engine.app.client.send(world.house.sentEvents.map((event) => ({ ...event })));
  return { engine, deliver };
};

describe("publish-pin under the executor", () => {
  test("R-SRV-03 due pins go out, once each, in time; an event that comes twice changes nothing", async () => {
    const { engine, deliver } = await startEngine();
    const maker = await world.makeMaker();
    const pins = [await world.scheduled(maker), await world.scheduled(maker), await world.scheduled(maker)];
    await deliver();
    await deliver();
    const runs = await untilEnded(engine.url, "publish-pin", 3);
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    const ours = await Promise.all(pins.map(({ pinId }) => world.pin(pinId)));
    expect(ours.map(({ status }) => status)).toEqual(["published", "published", "published"]);
    const there = (await world.publicPins(maker)).map(({ id }) => id).sort();
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(there);
  });

  test("R-SRV-03 Pinterest cuts the reply after creating: the run sleeps, looks, and finds the pin", async () => {
    const { engine, deliver } = await startEngine();
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const { pinId } = await world.scheduled(maker);
    await deliver();
    const [run] = await untilEnded(engine.url, "publish-pin", 1, 60_000);
    expect(run?.steps.map(({ name }) => name)).toEqual(["publish-due-0", "nap-before-look-0", "look-for-pin-0"]);
    expect(await world.publicPins(maker)).toHaveLength(1);
    expect(await world.pin(pinId)).toMatchObject({ status: "published" });
    expect(await world.receipt(pinId)).toMatchObject([{ outcome: "found" }]);
  });

  test("a step that keeps breaking down ends in release-pin: the pin stays scheduled and says why", async () => {
    const { deliver } = await startEngine();
    const maker = await world.makeMaker();
    // A folder stands where the picture should: the storage throws.
    const { pinId } = await world.scheduled(maker, { imageKey: "pins" });
    await deliver();
    await until(async () => (await world.pin(pinId)).reason === TEXTS.ourFaultAgain, { what: "the release" });
    expect(await world.pin(pinId)).toMatchObject({ status: "scheduled" });
    expect(await world.receipt(pinId)).toMatchObject([{ state: "armed", calledAt: null }]);
  });
});
