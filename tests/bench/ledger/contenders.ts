import { sql } from "drizzle-orm";
import { createId, type UserId } from "#lib/core/ids.ts";
import { grantCredits, grantPurchase } from "#lib/features/credits/grants.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";
import { insertPlayer } from "#tests/support/ledger-player.ts";
import { createRandom } from "#tests/support/random.ts";

/** Operations under way at the same moment, and users they are spread over by lot. */
export const AT_ONCE = 16;
const USERS = 64;

/** Something that can be done again and again, many times at once. */
export interface Contender {
  act(nth: number): Promise<void>;
}

/** Credits that every user has at first: reservations mostly find some. */
const FIRST_CREDITS = 1_000;

/** The ledger: of ten operations five begin a pin, four end one, and one gives credits. */
export const openBooks = async (house: TestHouse, seed: number): Promise<Contender> => {
  const random = createRandom(seed);
  const ctx = contextOf(house, { kind: "job", name: "bench" });
  const users: UserId[] = [];
  for (let n = 0; n < USERS; n += 1) {
    const { userId } = await insertPlayer(ctx);
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

/** The least that it can be: two rows in one transaction, one pays the other, and only what it has. */
export const openPairs = async ({ database: { db } }: TestHouse, seed: number): Promise<Contender> => {
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
