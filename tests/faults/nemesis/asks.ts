import { inArray } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { until } from "#tests/support/poll.ts";
import { becomes } from "./bounded.ts";
import { callAs, type Person } from "./crew.ts";
import type { World } from "./world.ts";

/** One pin of the run: what a person asks for, and the faults it meets on its way. */
export interface Ask {
  n: number;
  person: Person;
  /** Its own for each ask, so that a task, a pin and a pin at Pinterest can be told to be this one. */
  url: string;
  keyword: string;
  makingFault: string;
  publishingFault: string;
  /** When it was asked to be published; null until then. */
  wantedAt: Date | null;
}

const OUTAGE_MS = 30_000;

/** A read of the database that outlives a restart of it. @throws Error after half a minute, the last one as its cause */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  const { found } = await until(async () => ({ found: await read() }), {
    deadlineMs: OUTAGE_MS,
    everyMs: 100,
    what: "the database to answer",
  });
  return found;
}

/** The tasks of these asks, by their address. */
export const readTasks = ({ ctx }: World, asks: readonly Ask[]) =>
  reading(() =>
    ctx.db
      .select()
      .from(generationTasks)
      .where(inArray(generationTasks.url, urlsOf(asks))),
  );

/** The pins of these asks, by their address. */
export const readPins = ({ ctx }: World, asks: readonly Ask[]) =>
  reading(() =>
    ctx.db
      .select()
      .from(pins)
      .where(inArray(pins.link, urlsOf(asks))),
  );

const urlsOf = (asks: readonly Ask[]): string[] => asks.map(({ url }) => url);

const byPerson = (asks: readonly Ask[]): [Person, Ask[]][] => [...Map.groupBy(asks, ({ person }) => person)];

/** Presses "Generate Content" for each person. Who gets no answer (the app died) is not told here; see below. */
export async function order(asks: readonly Ask[]): Promise<void> {
  const presses = byPerson(asks).map(([person, own], index) =>
    callAs(person.user, "/api/users/pinterest/generate-pins/", {
      pinterest_account: person.accountId,
      board_id: person.boardId,
      quality: index % 2 === 0 ? "high" : "standard",
      keyword_data: own.map(({ keyword, url }) => ({ keyword, url })),
    }),
  );
  await Promise.allSettled(presses);
}

/** A person who got no answer looks whether it began after all, and presses again if not. */
export async function orderWhatIsMissing(world: World, asks: readonly Ask[]): Promise<void> {
  const readMissing = async () => {
    const begun = new Set((await readTasks(world, asks)).map(({ url }) => url));
    return asks.filter(({ url }) => !begun.has(url));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    // What was pressed in the round before may still be on its way.
    if (await becomes(async () => (await readMissing()).length === 0, PATIENCE_MS * round)) return;
    await order(await readMissing());
  }
}

const ROUNDS = 8;
/** So much longer in each round. */
const PATIENCE_MS = 200;

/** When the pins of a schedule are wanted: the first at `start`, each person's next ones so many minutes later. */
export interface Slots {
  start: Date;
  intervalMinutes: number;
  /** As it is sent, for instance with the offset of a zone; the same moment as `start`. */
  startText?: string;
}

/** Presses "Schedule" for each person's drafts; `clicks` at the same moment. @returns the statuses of the answers */
export async function schedule(world: World, asks: readonly Ask[], slots: Slots, clicks = 1): Promise<number[]> {
  const rows = new Map((await readPins(world, asks)).map((row) => [row.link, row]));
  const presses = byPerson(asks).flatMap(([{ user }, own]) => {
    const drafts = own.filter(({ url }) => rows.get(url)?.status === "draft");
    if (drafts.length === 0) return [];
    for (const [k, ask] of drafts.entries())
      ask.wantedAt = new Date(slots.start.getTime() + k * slots.intervalMinutes * 60_000);
    const body = {
      post_ids: drafts.map(({ url }) => rows.get(url)?.id),
      interval_minutes: slots.intervalMinutes,
      start: slots.startText ?? slots.start.toISOString(),
    };
    return Array.from({ length: clicks }, () => callAs(user, "/api/users/pinterest/batch-publish-pins/", body));
  });
  const answers = await Promise.allSettled(presses);
  return answers.map((answer) => (answer.status === "fulfilled" ? answer.value.status : 0));
}

/** As with orders: what is still a draft is scheduled again, for the same time. */
export async function scheduleWhatIsMissing(world: World, asks: readonly Ask[], slots: Slots): Promise<void> {
  const readMissing = async () => {
    const drafts = new Set(
      (await readPins(world, asks)).filter(({ status }) => status === "draft").map(({ link }) => link),
    );
    return asks.filter(({ url }) => drafts.has(url));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (await becomes(async () => (await readMissing()).length === 0, PATIENCE_MS * round)) return;
    await schedule(world, await readMissing(), slots);
  }
}
