import { eq } from "drizzle-orm";
import { beforeEach } from "vitest";
import { letters } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { type Letter, letterSchema } from "#lib/features/email/schema.ts";
import { contextOf } from "#tests/support/context.ts";
import { type SeededPin, seedPins } from "#tests/support/results-seed.ts";
import { type Publisher, resultsHouse } from "./results-house.ts";

type Weekly = Extract<Letter, { kind: "weekly_results" }>;

export const userIdOf = ({ ctx }: Publisher): UserId => {
  if (ctx.actor.kind !== "user") throw new Error("Somebody publishes.");
  return ctx.actor.userId;
};

/** A published pin that did the same on each day. */
export const seen = (impressions: number, outboundClicks = 0, row: SeededPin["row"] = {}): SeededPin => ({
  row,
  daily: { impressions, outboundClicks },
});

/** A house of its own for the calling file; each test begins half a minute after eight on a Monday, with nobody in it. */
export const weeklyHouse = () => {
  const { house, publisher } = resultsHouse();
  const job = (): FullCtx => contextOf(house(), { kind: "job", name: "tell-weeks" });
  /** Moves both clocks to a moment. */
  const setClock = (iso: string) => house().moveClock(Date.parse(iso) - house().now().getTime());

  beforeEach(async () => {
    await job().db.delete(users);
    await setClock("2026-11-23T08:00:30Z");
  });

  return {
    ...{ house, job, setClock },
    /** The mails of their weeks that somebody got, oldest first. */
    mailsOf: async (own: Publisher): Promise<Weekly[]> => {
      const rows = await job()
        .db.select()
        .from(letters)
        .where(eq(letters.userId, userIdOf(own)))
        .orderBy(letters.createdAt);
      return rows
        .map(({ content }) => letterSchema.parse(content))
        .filter((letter) => letter.kind === "weekly_results");
    },
    /** Somebody in a zone whose pins are out. */
    reader: async (pinsOfTheirs: SeededPin[] = [seen(100, 3)], zone = "UTC"): Promise<Publisher> => {
      const own = await publisher();
      await job()
        .db.update(users)
        .set({ timeZone: zone })
        .where(eq(users.id, userIdOf(own)));
      await seedPins(own.ctx, own.accountId, pinsOfTheirs);
      return own;
    },
  };
};
