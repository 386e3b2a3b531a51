import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { MINUTE_MS } from "#lib/core/time.ts";
import { until } from "#tests/support/poll.ts";
import { insertCreators } from "./support/creators.ts";
import { countProgress, expectGeneratedOnce, requestPins } from "./support/generation.ts";
import { productForFile } from "./support/product.ts";
import { expectPublishedOnce, schedulePins, untilSettled } from "./support/publishing.ts";

const product = productForFile();

const PINS_EACH = 6;

test("R-SRV-01 R-SRV-03 an engine that lost its whole queue: generating and publishing go on a minute after its return", async () => {
  const { app, ctx } = product();
  const creators = await insertCreators(product(), 4);
  const publishers = creators.slice(2);
  const orders = await requestPins(product(), creators.slice(0, 2), PINS_EACH);
  const isUnderWay = async () => (await countProgress(product(), orders)).stored > 0;
  await until(isUnderWay, { deadlineMs: 60_000, everyMs: 20, what: "the first image" });
  await schedulePins(product(), publishers, { pinsEach: 3, start: product().now() });
  await app.kill9("executor");
  await ctx.db.execute(sql`drop schema executor cascade`);
  expect((await countProgress(product(), orders)).ended).toBeLessThan(2 * PINS_EACH);
  await app.restart("executor");
  await product().passTime(MINUTE_MS);
  const areAllEnded = async () => (await countProgress(product(), orders)).ended === 2 * PINS_EACH;
  await until(areAllEnded, { deadlineMs: 100_000, everyMs: 100, what: "all pins to be generated" });
  await expectGeneratedOnce(product(), orders);
  await untilSettled(product(), publishers, 120_000);
  await expectPublishedOnce(product(), publishers);
});
