import { createId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { type Buyer, providerId, saleOf } from "#tests/support/billing.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";
import { insertPlayer } from "#tests/support/ledger-player.ts";
import { eventBody } from "#tests/support/payments.ts";
import type { Random } from "#tests/support/random.ts";

export const BUYERS = 100;
/** Credits of each sale. */
export const PACK_CREDITS = 100;
/** Of four webhooks one is a repetition; the others tell of a sale as paid, as completed, and once more. */
const TOLD = 3;

const buyersOf = (house: TestHouse): Promise<Buyer[]> =>
  Promise.all(
    Array.from({ length: BUYERS }, async () => {
      const job = contextOf(house, { kind: "job", name: "bench" });
      const { userId } = await insertPlayer(job);
      const ctx = contextOf(house, { kind: "user", userId, loginId: createId("login", house.now()), address: "" });
      return { ctx, userId, email: "", customerId: providerId("ctm"), hints: { user_id: userId } };
    }),
  );

/** Bodies of webhooks in a random order, a quarter of them sent twice, and how many sales they tell of. */
export const drawWebhooks = async (
  house: TestHouse,
  random: Random,
  number: number,
): Promise<{ bodies: Uint8Array[]; sales: number }> => {
  const buyers = await buyersOf(house);
  const sales = Math.floor((number * 3) / 4 / TOLD);
  const bodies: Uint8Array[] = [];
  for (let n = 0; n < sales; n += 1) {
    const who = buyers[random.below(BUYERS)];
    if (!who) throw new Error("There are buyers.");
    const id = providerId("txn");
    const at = addMs(house.now(), -random.below(DAY_MS));
    for (const [step, status] of ["paid", "completed", "completed"].entries()) {
      const told = addMs(at, step * SECOND_MS);
      const { type, data } = saleOf(who, { id, items: [[`pack:free:${PACK_CREDITS}`, 1]], at: told, status });
      bodies.push(eventBody(type, data, { event_id: providerId("evt"), occurred_at: told.toISOString() }));
    }
  }
  const again = Array.from(
    { length: number - bodies.length },
    () => bodies[random.below(bodies.length)] ?? new Uint8Array(),
  );
  return { bodies: random.shuffled([...bodies, ...again]), sales };
};
