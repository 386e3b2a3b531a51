import { describe, expect, test } from "vitest";
import { publishPin } from "#inngest/functions/publish-pin.ts";
import { checkStorage } from "#lib/features/pins/storage-outages.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { until } from "#tests/support/poll.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";
import { CREATE, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

setProcessContainer(() => setup.harness);

/** The durable function under the real executor, with events as the jobs port sends them. */
const startEngine = async () => {
  const engine = await startHarness(setup.database.url, () => [publishPin]);
  const deliver = () => engine.app.client.send(setup.harness.sentEvents.map((event) => ({ ...event })));
  return { engine, deliver };
};

describe("publish-pin under the executor", () => {
  test("R-SRV-03 due pins go out once each, on time; a repeated event changes nothing", async () => {
    const { engine, deliver } = await startEngine();
    const creator = await setup.insertCreator();
    const pins = [await setup.scheduled(creator), await setup.scheduled(creator), await setup.scheduled(creator)];
    await deliver();
    await deliver();
    const runs = await untilEnded(engine.url, "publish-pin", 3);
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(runs.flatMap(({ steps }) => steps)).toEqual([]);
    const ours = await Promise.all(pins.map(({ pinId }) => setup.pin(pinId)));
    expect(ours.map(({ status }) => status)).toEqual(["published", "published", "published"]);
    const listed = (await setup.publicPins(creator)).map(({ id }) => id).sort();
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(listed);
  });

  test("R-SRV-03 Pinterest's reply is lost after creating: the run sleeps, checks the board, and finds the pin", async () => {
    const { engine, deliver } = await startEngine();
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const { pinId } = await setup.scheduled(creator);
    await deliver();
    const [run] = await untilEnded(engine.url, "publish-pin", 1, 60_000);
    expect(run?.steps.map(({ name }) => name)).toEqual(["delay-0"]);
    expect(await setup.publicPins(creator)).toHaveLength(1);
    expect(await setup.pin(pinId)).toMatchObject({ status: "published" });
    expect(await setup.attempts(pinId)).toMatchObject([{ outcome: "found" }]);
  });

  test("a run that keeps failing ends in release-pin: the pin stays scheduled with a reason", async () => {
    const { deliver } = await startEngine();
    const creator = await setup.insertCreator();
    await checkStorage(setup.job());
    // A folder in place of the image makes the storage throw.
    const { pinId } = await setup.scheduled(creator, { imageKey: "pins" });
    await deliver();
    await until(async () => (await setup.pin(pinId)).reason === TEXTS.internalErrorRetrying, { what: "the release" });
    expect(await setup.pin(pinId)).toMatchObject({ status: "scheduled" });
    expect(await setup.attempts(pinId)).toMatchObject([{ state: "armed", calledAt: null }]);
  });
});
