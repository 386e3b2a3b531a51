import { createId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { type Buyer, providerId, saleOf } from "#tests/support/billing.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import { insertLedgerUser } from "#tests/support/ledger-user.ts";
import { eventBody } from "#tests/support/payments.ts";
import type { Random } from "#tests/support/random.ts";

export const BUYERS = 100;
/** Credits of each sale. */
export const PACK_CREDITS = 100;
/** Each sale has three webhooks: paid, completed, and a second completed. A quarter of all webhooks are repetitions. */
const WEBHOOKS_PER_SALE = 3;

const buyersOf = (harness: TestHarness): Promise<Buyer[]> =>
  Promise.all(
    Array.from({ length: BUYERS }, async () => {
      const job = contextOf(harness, { kind: "job", name: "bench" });
      const { userId } = await insertLedgerUser(job);
      const ctx = contextOf(harness, { kind: "user", userId, loginId: createId("login", harness.now()), address: "" });
      return { ctx, userId, email: "", customerId: providerId("ctm"), hints: { user_id: userId } };
    }),
  );

/** The webhooks' bodies in random order, a quarter of them sent twice, and the number of sales. */
export const makeWebhooks = async (
  harness: TestHarness,
  random: Random,
  number: number,
): Promise<{ bodies: Uint8Array[]; sales: number }> => {
  const buyers = await buyersOf(harness);
  const sales = Math.floor((number * 3) / 4 / WEBHOOKS_PER_SALE);
  const bodies: Uint8Array[] = [];
  for (let n = 0; n < sales; n += 1) {
    const buyer = buyers[random.below(BUYERS)];
    if (!buyer) throw new Error("There are no buyers.");
    const id = providerId("txn");
    const at = addMs(harness.now(), -random.below(DAY_MS));
    for (const [step, status] of ["paid", "completed", "completed"].entries()) {
      const finished = addMs(at, step * SECOND_MS);
      const { type, data } = saleOf(buyer, { id, items: [[`pack:free:${PACK_CREDITS}`, 1]], at: finished, status });
      bodies.push(eventBody(type, data, { event_id: providerId("evt"), occurred_at: finished.toISOString() }));
    }
  }
  const again = Array.from(
    { length: number - bodies.length },
    () => bodies[random.below(bodies.length)] ?? new Uint8Array(),
  );
  return { bodies: random.shuffled([...bodies, ...again]), sales };
};
