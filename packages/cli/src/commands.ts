import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Account, Board, Calls, Generation, Pin, PinMetrics } from "./api.d.ts";
import { CliError, type Client, isReplay } from "./client.ts";
import type { Output } from "./output.ts";
import { boardOf, digestOf, isTime, type KeywordPin, type OwnPin, type Plan, readPlan } from "./plan.ts";

/** A command that is run. */
export interface Run {
  client: Client;
  output: Output;
  /** Words after the command. */
  words: readonly string[];
  options: Readonly<Partial<Record<OptionName, string>>>;
}

export const OPTION_NAMES = [
  ...(["url", "account", "board", "status", "search", "limit", "title", "description", "alt", "link"] as const),
  ...(["every", "start", "quality", "per-keyword", "from", "to"] as const),
];
type OptionName = (typeof OPTION_NAMES)[number];

interface Command {
  usage: string;
  text: string;
  run: (run: Run) => Promise<void>;
}

const POLL_MS = 2_000;
const DAY_MS = 86_400_000;

const required = (value: string | undefined, name: string): string => {
  if (value) return value;
  throw new CliError(`Missing argument: ${name}.`, 2);
};

const wholeNumber = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new CliError(`${name} must be a whole number.`, 2);
};

const accountOf = async ({ client, options }: Run): Promise<Account> => {
  const { data } = await client("GET /accounts", {});
  const wanted = options.account;
  const found = wanted ? data.filter(({ id, username }) => id === wanted || username === wanted) : data;
  const [account] = found;
  if (account && found.length === 1) return account;
  if (data.length === 0) throw new CliError("No Pinterest account is connected yet. Connect one in Evertack.");
  throw new CliError(`Choose an account with --account: ${data.map(({ username }) => username).join(", ")}`, 2);
};

const boardsOf = async ({ client }: Run, { id }: Account): Promise<Board[]> =>
  (await client("GET /accounts/{account_id}/boards", { account_id: id })).data;

const rowOf = ({ id, status, title, scheduled_at: scheduled, link, pinterest_url: pinterest }: Pin) => {
  return { id, status, title, scheduled, link, pinterest };
};

const showPins = ({ output }: Run, pins: readonly Pin[]): void => output.result(pins, pins.map(rowOf));

const listPins = async (run: Run): Promise<void> => {
  const { status, search, limit } = run.options;
  const account = await accountOf(run);
  const most = wholeNumber(limit, "--limit") ?? 50;
  const pins: Pin[] = [];
  let cursor: string | undefined;
  do {
    const page = await run.client("GET /pins", {
      ...{ account_id: account.id, search, limit: Math.min(100, most - pins.length), cursor },
      status: status as Calls["GET /pins"]["input"]["status"],
    });
    pins.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && pins.length < most);
  showPins(run, pins);
};

/** The pin as it is now when an earlier run got the same answer; null when it was deleted since. */
const current = async ({ client }: Run, answer: object, pin: Pin): Promise<Pin | null> => {
  if (!isReplay(answer)) return pin;
  try {
    return (await client("GET /pins/{pin_id}", { pin_id: pin.id })).pin;
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  }
};

const createDraft = async (run: Run, account: Account, pin: OwnPin): Promise<Pin | null> => {
  const { client } = run;
  const upload = await client("POST /uploads", { image: new Blob([readFileSync(pin.file)]) });
  const { title, description, altText: alt_text, link, boardId: board_id } = pin;
  const body = { title, description, alt_text, board_id, upload_id: upload.id, ...(link && { link }) };
  const answer = await client("POST /pins", { account_id: account.id, pins: [body] }, pin.key);
  const [created] = answer.data;
  if (!created) throw new CliError("The draft wasn't created.");
  return current(run, answer, created);
};

const draftPin = async (run: Run): Promise<void> => {
  const { board, title, description = "", alt = "", link } = run.options;
  const file = required(run.words[0], "an image");
  if (!existsSync(file)) throw new CliError(`File not found: ${file}.`, 2);
  const account = await accountOf(run);
  const { id: boardId } = boardOf(await boardsOf(run, account), board);
  const text = { title: required(title, "a title with --title"), description, altText: alt, link };
  const key = digestOf(account.id, boardId, JSON.stringify(text), readFileSync(file));
  const draft = await createDraft(run, account, { file, boardId, ...text, publishAt: undefined, key });
  if (!draft)
    throw new CliError("You created this draft within the last day and deleted it, so it isn't created again.");
  showPins(run, [draft]);
};

const schedulePins = async (run: Run): Promise<void> => {
  const { every, start } = run.options;
  required(run.words[0], "the IDs of drafts");
  if (start !== undefined && !isTime(start))
    throw new CliError("--start must be a time such as 2027-01-31T09:00:00+01:00.", 2);
  const { data } = await run.client("POST /schedules", {
    ...{ pin_ids: [...run.words], interval_minutes: wholeNumber(every, "--every") ?? 60, start: start ?? null },
  });
  showPins(run, data);
};

const awaitGeneration = async ({ client, output }: Run, id: string): Promise<Generation> => {
  for (;;) {
    const generation = await client("GET /generations/{generation_id}", { generation_id: id });
    output.progress("Generating", generation.completed_tasks, generation.total_tasks);
    if (generation.is_finished) return generation;
    await delay(POLL_MS);
  }
};

interface Choice {
  quality: "standard" | "high";
  pins_per_keyword?: number;
}

/** @throws CliError before anything is sent */
const choiceOf = ({ options: { quality = "standard", "per-keyword": text } }: Run): Choice => {
  if (quality !== "standard" && quality !== "high") throw new CliError("--quality must be standard or high.", 2);
  const perKeyword = wholeNumber(text, "--per-keyword");
  if (perKeyword !== undefined && (perKeyword < 1 || perKeyword > 4))
    throw new CliError("--per-keyword must be from 1 to 4.", 2);
  return { quality, ...(perKeyword !== undefined && { pins_per_keyword: perKeyword }) };
};

interface Order {
  account: Account;
  boardId: string;
  pins: readonly KeywordPin[];
  choice: Choice;
  key?: string;
}

const generateFor = async (run: Run, { account, boardId, pins, choice, key }: Order): Promise<Generation> => {
  const keywords = pins.map(({ keyword, link }) => ({ keyword, ...(link && { url: link }) }));
  const order = { account_id: account.id, board_id: boardId, ...choice, keywords };
  const started = await run.client("POST /generations", order, key);
  run.output.show(`Started the generation ${started.id}.`);
  if (started.warning) run.output.show(started.warning);
  return awaitGeneration(run, started.id);
};

const pinsText = (count: number): string => `${count} ${count === 1 ? "pin" : "pins"}`;

/** @throws CliError after the results were shown */
const requireNone = (problems: readonly (string | false)[]): void => {
  const found = problems.filter((problem) => problem !== false);
  if (found.length > 0) throw new CliError(found.join(" "));
};

/** `ordered`: pins; with too few credits, only the first ones start. */
const generationProblems = (generations: readonly Generation[], ordered: number): (string | false)[] => {
  const tasks = generations.flatMap((generation) => generation.tasks);
  const leftOut = Math.max(0, ordered - tasks.length);
  const failed = tasks.filter(({ status }) => status !== "SUCCESS").length;
  return [
    leftOut > 0 && `${pinsText(leftOut)} didn't start, because you have too few credits. Generate the rest later.`,
    failed > 0 && `${pinsText(failed)} couldn't be generated.`,
  ];
};

const taskRows = (generations: readonly Generation[]) =>
  generations.flatMap(({ tasks }) =>
    tasks.map(({ keyword, status, title, reason }) => ({ keyword, status, title, reason })),
  );

const generate = async (run: Run): Promise<void> => {
  required(run.words[0], "at least one keyword");
  const choice = choiceOf(run);
  const account = await accountOf(run);
  const { id } = boardOf(await boardsOf(run, account), run.options.board);
  const { link } = run.options;
  const pins = run.words.map((keyword) => ({ keyword, link, boardId: id }));
  const generation = await generateFor(run, { account, boardId: id, pins, choice });
  run.output.result(generation, taskRows([generation]));
  requireNone(generationProblems([generation], pins.length * (choice.pins_per_keyword ?? 1)));
};

/** The API's limit. */
const PINS_PER_GENERATION = 100;

/** The keywords of each board, in groups that the API takes. */
const ordersOf = (keywords: readonly KeywordPin[], { pins_per_keyword: perKeyword = 1 }: Choice): KeywordPin[][] => {
  const most = Math.max(1, Math.floor(PINS_PER_GENERATION / perKeyword));
  return [...Map.groupBy(keywords, (one) => one.boardId).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / most) }, (_, at) => own.slice(at * most, (at + 1) * most)),
  );
};

/** A draft, scheduled unless its time has passed. What was done with it after an earlier import stays. */
const importPin = async (run: Run, account: Account, own: OwnPin): Promise<Pin | null> => {
  const draft = await createDraft(run, account, own);
  const { publishAt: at } = own;
  if (at === undefined || draft?.status !== "draft" || Date.parse(at) < Date.now()) return draft;
  const answer = await run.client("POST /pins/{pin_id}/schedule", { pin_id: draft.id, at }, digestOf(own.key, at));
  return current(run, answer, answer);
};

const importProblems = (plan: Plan, pins: readonly (Pin | null)[]): (string | false)[] => {
  const now = Date.now();
  const drafts = plan.own.filter(({ publishAt }, at) => publishAt !== undefined && pins[at]?.status === "draft");
  const missed = drafts.filter(({ publishAt = "" }) => Date.parse(publishAt) < now).length;
  const unscheduled = drafts.length - missed;
  const deleted = pins.filter((pin) => pin === null).length;
  return [
    missed > 0 && `Not scheduled, because their time has passed: ${missed}. They are drafts now.`,
    unscheduled > 0 && `Not scheduled, because they were unscheduled after an earlier import: ${unscheduled}.`,
    deleted > 0 && `Deleted after an earlier import, and not created again: ${deleted}.`,
  ];
};

const importPlan = async (run: Run): Promise<void> => {
  const choice = choiceOf(run);
  const account = await accountOf(run);
  const plan = readPlan(required(run.words[0], "a CSV file"), account.id, await boardsOf(run, account));
  const imported: (Pin | null)[] = [];
  for (const [index, own] of plan.own.entries()) {
    imported.push(await importPin(run, account, own));
    run.output.progress("Importing", index + 1, plan.own.length);
  }
  const generations: Generation[] = [];
  for (const [index, keywords] of ordersOf(plan.keywords, choice).entries()) {
    const boardId = keywords[0]?.boardId ?? "";
    const key = digestOf(account.id, boardId, JSON.stringify([keywords, choice, index]));
    generations.push(await generateFor(run, { account, boardId, pins: keywords, choice, key }));
  }
  const pins = imported.filter((pin) => pin !== null);
  run.output.result({ pins, generations }, [
    ...pins.map(({ title, status, scheduled_at }) => ({ pin: title, status, scheduled: scheduled_at })),
    ...taskRows(generations).map(({ title, keyword, status }) => ({ pin: title ?? keyword, status, scheduled: null })),
  ]);
  requireNone([
    ...generationProblems(generations, plan.keywords.length * (choice.pins_per_keyword ?? 1)),
    ...importProblems(plan, imported),
  ]);
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const shown = ({ impressions, outbound_clicks: clicks, saves }: PinMetrics) => ({
  ...{ impressions, "outbound clicks": clicks, saves },
});

const showAnalytics = async (run: Run): Promise<void> => {
  const { from = dayOf(Date.now() - 30 * DAY_MS), to = dayOf(Date.now()) } = run.options;
  const account = await accountOf(run);
  const range = { account_id: account.id, start_date: from, end_date: to };
  const [totals, top] = [
    await run.client("GET /accounts/{account_id}/analytics", range),
    await run.client("GET /accounts/{account_id}/analytics/top-pins", range),
  ];
  const periods = [totals, totals.previous].filter((period) => period !== null);
  run.output.result(
    { account: totals, top_pins: top.data },
    periods.map(({ start_date, end_date, totals: own }) => ({ period: `${start_date} to ${end_date}`, ...shown(own) })),
    top.data.map(({ title, metrics }) => ({ "top pin": title, ...shown(metrics) })),
  );
};

/** Every command that calls the API, by its words. */
export const COMMANDS: Record<string, Command> = {
  accounts: {
    usage: "accounts",
    text: "List your Pinterest accounts",
    run: async ({ client, output }) => {
      const { data } = await client("GET /accounts", {});
      output.result(
        data,
        data.map(({ id, username }) => ({ id, username })),
      );
    },
  },
  boards: {
    usage: "boards",
    text: "List the boards of an account",
    run: async (run) => {
      const boards = await boardsOf(run, await accountOf(run));
      run.output.result(
        boards,
        boards.map(({ id, name, privacy }) => ({ id, name, privacy })),
      );
    },
  },
  credits: {
    usage: "credits",
    text: "Show your credits",
    run: async ({ client, output }) => {
      const balance = await client("GET /credits", {});
      output.result(balance, [{ ...balance }]);
    },
  },
  "pins list": { usage: "pins list [--status S] [--search WORDS] [--limit N]", text: "List pins", run: listPins },
  "pins draft": {
    usage: "pins draft IMAGE --board B --title T [--description D] [--alt A] [--link URL]",
    text: "Create a draft from an image",
    run: draftPin,
  },
  "pins schedule": {
    usage: "pins schedule ID… [--every MINUTES] [--start TIME]",
    text: "Schedule drafts at a fixed interval, starting now or at --start",
    run: schedulePins,
  },
  generate: {
    usage: "generate KEYWORD… --board B [--quality standard|high] [--per-keyword N] [--link URL]",
    text: "Generate drafts with your credits",
    run: generate,
  },
  import: {
    usage: "import PLAN.csv",
    text: "Create pins from a CSV file: image or keyword, board, title, link, publish_at …",
    run: importPlan,
  },
  analytics: {
    usage: "analytics [--from DAY] [--to DAY]",
    text: "Show the totals and the top pins of the last 30 days",
    run: showAnalytics,
  },
};
