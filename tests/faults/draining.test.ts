import { afterEach, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { until } from "#tests/support/poll.ts";
import { insertCreators } from "./support/creators.ts";
import { productForFile } from "./support/product.ts";
import { CREATE, expectPublishedOnce, readPins, schedulePins, untilSettled } from "./support/publishing.ts";

const product = productForFile();

afterEach(() => product().pinterest.clearFaults());

test("R-SRV-03 SIGTERM during a publish: that pin is finished, no other is started, and the app exits with 0", async () => {
  const { app, pinterest } = product();
  const creators = await insertCreators(product(), 2);
  const slow = creators.slice(0, 1);
  const rule = { match: CREATE, after: "before", delayMs: 5 * SECOND_MS };
  await pinterest.addFault({ ...rule, where: { account: slow[0]?.username } });
  await schedulePins(product(), creators.slice(1), {
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
  await until(isClosed, { deadlineMs: 60_000, everyMs: 20, what: "new connections to be refused" });
  // The other pin becomes due while the app ends, but is not started.
  await product().passTime(2 * MINUTE_MS);
  expect(await ended).toBe("with code 0");
  const finished = await readPins(product(), slow);
  expect(finished.rows).toMatchObject([{ status: "published" }]);
  expect(finished.attempts).toMatchObject([{ state: "settled", outcome: "created" }]);
  expect((await readPins(product(), creators.slice(1))).attempts).toEqual([]);
  await app.restart("app");
  await untilSettled(product(), creators, 120_000);
  await expectPublishedOnce(product(), creators);
});
