import { sql } from "drizzle-orm";
import { createId, type UserId } from "#lib/core/ids.ts";
import { grantCredits, grantPurchase } from "#lib/features/credits/grants.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import { insertLedgerUser } from "#tests/support/ledger-user.ts";
import { createRandom } from "#tests/support/random.ts";

/** Concurrent operations, and users they are spread over at random. */
export const AT_ONCE = 16;
const USERS = 64;

/** An operation that can be repeated concurrently. */
interface Contender {
  act(nth: number): Promise<void>;
}

/** Initial credits of every user, so that most reservations succeed. */
const FIRST_CREDITS = 1_000;

/** The ledger: of ten operations five reserve, four settle, and one grants credits. */
export const openLedger = async (harness: TestHarness, seed: number): Promise<Contender> => {
  const random = createRandom(seed);
  const ctx = contextOf(harness, { kind: "job", name: "bench" });
  const users: UserId[] = [];
  for (let n = 0; n < USERS; n += 1) {
    const { userId } = await insertLedgerUser(ctx);
    await grantPurchase(ctx, { userId, transactionId: `first_${userId}`, credits: FIRST_CREDITS, note: "" });
    users.push(userId);
  }
  const open: string[] = [];
  let serial = 0;
  const begin = async (userId: UserId) => {
    const reference = createId("task", new Date());
    const lots = [{ reference, costCredits: 1 + random.below(2) }];
    const { reserved } = await reserveCredits(ctx, { userId, lots });
    if (reserved === 1) open.push(reference);
  };
  const end = async () => {
    const [reference] = open.splice(random.below(open.length), 1);
    const outcome = random.below(4) === 0 ? "release" : "spend";
    if (reference !== undefined) await settleReservation(ctx, { reference, outcome });
  };
  return {
    act: async (nth) => {
      const userId = users[random.below(USERS)] as UserId;
      const die = random.below(10);
      if (die === 0) {
        serial += 1;
        await grantCredits(ctx, { userId, credits: 1 + random.below(20), note: "", cause: `${seed}:${serial}:${nth}` });
      } else if (die < 6 || open.length === 0) await begin(userId);
      else await end();
    },
  };
};

/** The minimum: one transaction in which one row pays another, within its balance. */
export const openPairs = async ({ database: { db } }: TestHarness, seed: number): Promise<Contender> => {
  const random = createRandom(seed);
  await db.execute(
    sql`create table if not exists bench_pairs (id int primary key, credits int not null check (credits >= 0))`,
  );
  await db.execute(sql`insert into bench_pairs select n, ${FIRST_CREDITS} from generate_series(0, ${USERS * 2 - 1}) n
    on conflict do nothing`);
  return {
    act: async () => {
      const payer = random.below(USERS);
      await db.transaction(async (tx) => {
        const paid = await tx.execute(
          sql`update bench_pairs set credits = credits - 1 where id = ${payer} and credits > 0 returning id`,
        );
        if (paid.length > 0)
          await tx.execute(sql`update bench_pairs set credits = credits + 1 where id = ${payer + USERS}`);
      });
    },
  };
};
