import { afterEach, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { until } from "#tests/support/poll.ts";
import { makeMakers } from "./support/makers.ts";
import { productForFile } from "./support/product.ts";
import { CREATE, expectPublishedOnce, readPins, schedulePins, untilSettled } from "./support/publishing.ts";

const product = productForFile();

afterEach(() => product().pinterest.clearFaults());

test("R-SRV-03 SIGTERM in the midst of a publish: that pin is finished, no other is begun, and the app ends with 0", async () => {
  const { app, pinterest } = product();
  const makers = await makeMakers(product(), 2);
  const slow = makers.slice(0, 1);
  const rule = { match: CREATE, after: "before", delayMs: 5 * SECOND_MS };
  await pinterest.strike({ ...rule, where: { account: slow[0]?.username } });
  await schedulePins(product(), makers.slice(1), {
    pinsEach: 1,
    start: new Date(product().now().getTime() + MINUTE_MS),
  });
  await schedulePins(product(), slow, { pinsEach: 1, start: product().now() });
  const isCalling = async () => (await readPins(product(), slow)).attempts.some(({ state }) => state === "calling");
  await until(isCalling, { deadlineMs: 60_000, everyMs: 20, what: "the slow call" });
  const ended = app.terminate("app");
  const isClosed = () =>
    fetch(app.baseUrl).then(
      () => false,
      () => true,
    );
  await until(isClosed, { deadlineMs: 60_000, everyMs: 20, what: "the end of new connections" });
  // The other pin becomes due while the app ends: nobody begins it.
  await product().passTime(2 * MINUTE_MS);
  expect(await ended).toBe("with code 0");
  const finished = await readPins(product(), slow);
  expect(finished.rows).toMatchObject([{ status: "published" }]);
  expect(finished.attempts).toMatchObject([{ state: "settled", outcome: "created" }]);
  expect((await readPins(product(), makers.slice(1))).attempts).toEqual([]);
  await app.restart("app");
  await untilSettled(product(), makers, 120_000);
  await expectPublishedOnce(product(), makers);
});
