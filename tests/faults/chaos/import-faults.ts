import { and, eq, like } from "drizzle-orm";
import { zipSync } from "fflate";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { IMAGES_PART, SHEET_PART } from "#lib/features/spreadsheets/constants.ts";
import { confirmImport } from "#lib/features/spreadsheets/creation.ts";
import { readImport } from "#lib/features/spreadsheets/review.ts";
import { until } from "#tests/support/poll.ts";
import { photo } from "#tests/support/sample-images.ts";
import { becomes, within } from "./bounded.ts";
import { type Fault, type FaultContext, victimOf, waitAdvancingClock, waitUntilHeld } from "./fault.ts";
import type { Hold, HoldRule } from "./holds.ts";
import { reading } from "./requests.ts";
import type { TestUser } from "./users.ts";

const ROWS = 8;
/** How many of the wave's users import. */
const IMPORTERS = 3;
const CALL_MS = 20_000;
const IMPORT_MS = 100_000;

/** A point at which the app is killed in an import. */
interface ImportPoint {
  name: string;
  what: string;
  at: RegExp;
  following?: RegExp;
}

const IMPORT_POINTS: readonly ImportPoint[] = [
  {
    name: "stage",
    what: "the commit that stores an uploaded spreadsheet's rows",
    at: /^\s*commit/i,
    following: /insert into "pin_import_rows"/,
  },
  {
    name: "image",
    what: "recording the stored image of a spreadsheet's row",
    at: /update "pin_import_rows" set [^;]*"image_key"/,
  },
  {
    name: "create",
    what: "the commit that creates a spreadsheet's pins",
    at: /^\s*commit/i,
    following: /update "pin_imports" set [^;]*"drafts"/,
  },
];

/** The imports of a fault. */
interface Sheets {
  hold: Hold;
  /** The latest accepted upload of each user. */
  importIds: Map<TestUser, string>;
  linkOf(importer: TestUser, row: number | "%"): string;
}

/** kill -9 of the app in the middle of imports, which are retried: all rows or none, each pin exactly once. */
export const importFaults: readonly Fault[] = IMPORT_POINTS.flatMap((point) =>
  (["before", "after"] as const).map((side) => importFault(point, side)),
);

function importFault({ name: pointName, what, at, following }: ImportPoint, side: HoldRule["side"]): Fault {
  const name = `kill-app-${side}-import-${pointName}`;
  const started = new WeakMap<FaultContext, Sheets>();
  return {
    name,
    what: `kill -9 of the app just ${side} ${what}`,
    phase: "generation",
    arm: async (context) => {
      const rule: HoldRule = { side, at, times: IMPORTERS, ...(following && { following }) };
      started.set(context, {
        hold: context.stack.proxies.appDatabase.holds.add(rule),
        importIds: new Map(),
        linkOf: ({ userId }, row) => `https://example.com/${name}/${userId}/${row}`,
      });
    },
    inject: async (context) => {
      const sheets = started.get(context);
      if (!sheets) return;
      const imports = context.testUsers.slice(0, IMPORTERS).map((importer) => importSheet(context, sheets, importer));
      const begun = within(Promise.all(imports), IMPORT_MS, "the imports to be confirmed");
      await Promise.all([begun, killHeld(context, sheets.hold)]);
    },
    heal: async (context) => started.get(context)?.hold.release(),
    clear: async (context) => {
      for (const [importer, importId] of started.get(context)?.importIds ?? [])
        await checkImport(context, importId, started.get(context)?.linkOf(importer, "%") ?? "");
    },
  };
}

async function killHeld(context: FaultContext, hold: Hold): Promise<void> {
  const { stack, injected } = context;
  const name = victimOf(context, "app");
  try {
    await waitUntilHeld(stack, hold);
    injected(hold.count());
    await stack.processes.kill(name);
  } finally {
    hold.cut();
  }
  await stack.processes.start(name);
}

/** The spreadsheet and its images. */
async function writeSheet(sheets: Sheets, importer: TestUser): Promise<FormData> {
  const names = Array.from({ length: ROWS }, (_, row) => `moss-${row}.jpg`);
  const lines = names.map((name, row) => `Moss ${row},${sheets.linkOf(importer, row)},${name},${importer.boardId}`);
  const image = new Uint8Array(await photo(1_600, 2_400));
  const zip = zipSync(Object.fromEntries(names.map((name) => [name, image])), { level: 0 });
  const body = new FormData();
  body.set("pinterest_account", importer.accountId);
  body.set(SHEET_PART, new File([["Title,Link,Image,Board ID", ...lines].join("\n")], "moss.csv"));
  body.set(IMAGES_PART, new File([new Uint8Array(zip)], "moss.zip"));
  return body;
}

/** Uploads until it is accepted, as a user does who gets no response; then looks at the rows and confirms them. */
async function importSheet({ stack }: FaultContext, sheets: Sheets, importer: TestUser): Promise<void> {
  const body = await writeSheet(sheets, importer);
  const headers = { authorization: `Bearer ${importer.user.token}` };
  const url = `${stack.baseUrl}/api/users/pinterest/imports/`;
  const upload = async (): Promise<string> => {
    const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(CALL_MS) });
    const { import_id } = Object(await answer.json());
    if (typeof import_id !== "string") throw new Error(`The upload was answered with ${answer.status}.`);
    return import_id;
  };
  const importId = await until(upload, { deadlineMs: IMPORT_MS, everyMs: 500, what: "an upload to be accepted" });
  sheets.importIds.set(importer, importId);
  const actor = { kind: "user", userId: importer.userId, loginId: stack.ctx.newId("login"), address: "" } as const;
  const ctx: FullCtx = { ...stack.ctx, actor };
  const seen = await reading(() => readImport(ctx, { importId, filter: "all", page: 0 }));
  if (seen.counts.rows !== ROWS) throw new Error(`${seen.counts.rows} rows were stored.`);
  await reading(() => confirmImport(ctx, { importId, version: seen.version, timeZone: seen.time_zone }));
}

/** Its rows become pins together, each row one. */
async function checkImport({ stack, complain }: FaultContext, importId: string, link: string): Promise<void> {
  const { db } = stack.ctx;
  const findLinks = () => reading(() => db.select({ link: pins.link }).from(pins).where(like(pins.link, link)));
  const isDone = async (ms: number): Promise<boolean> =>
    becomes(async () => {
      const { length } = await findLinks();
      if (length !== 0 && length !== ROWS) complain(`${length} of ${ROWS} rows became pins`);
      return (await db.$count(pinImports, and(eq(pinImports.id, importId), eq(pinImports.status, "done")))) > 0;
    }, ms);
  if (!(await waitAdvancingClock(stack, isDone))) complain("an import never ended");
  const links = await findLinks();
  if (links.length !== ROWS || new Set(links.map((row) => row.link)).size !== ROWS)
    complain(`${links.length} pins of ${ROWS} rows`);
  const left = await db.$count(pinImportRows, eq(pinImportRows.importId, importId));
  if (left > 0) complain(`${left} rows are still stored`);
}
