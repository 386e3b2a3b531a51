import { parse } from "csv-parse/sync";
import { eq } from "drizzle-orm";
import { strToU8, unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { pinImports } from "#db/schema/imports.ts";
import {
  EXPORT_PINS_MAX,
  SHEET_BYTES_MAX,
  SHEET_FAULTS,
  TEXTS,
  ZIP_FAULTS,
} from "#lib/features/spreadsheets/constants.ts";
import { OWN_COLUMNS } from "#lib/features/spreadsheets/engine/formats.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { png } from "#tests/support/sample-images.ts";
import { type Owner, ownersFor } from "./fixtures-harness.ts";
import { errorBody, errorOf } from "./pins-harness.ts";

const { fixtures, insertOwner } = ownersFor(() => inject("app"));

const IMPORTS = "/api/users/pinterest/imports/";
const SHEET = "Title,Board\nMoss,Fern\nIvy,Fern\n";
const ABSENT_ACCOUNT = `acc_${"0".repeat(26)}`;

let owner: Owner;
let stranger: Owner;
beforeAll(async () => {
  [owner, stranger] = [await insertOwner(), await insertOwner()];
});

type Parts = Record<string, string | Uint8Array<ArrayBuffer>>;

const send = async (token: string | null, body: FormData | string | ReadableStream, type?: string) => {
  const init: RequestInit & { duplex: "half" } = {
    ...{ method: "POST", body, duplex: "half", signal: AbortSignal.timeout(60_000) },
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...(type && { "content-type": type }) },
  };
  const response = await fetch(`${inject("app").baseUrl}${IMPORTS}`, init);
  return { status: response.status, json: Object(await response.json()) };
};

/** Files are bytes. */
const upload = ({ user }: Owner, parts: Parts) => {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    form.set(name, typeof part === "string" ? part : new File([part], `${name}.bin`));
  }
  return send(user.token, form);
};

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const sheetOf = ({ account }: Owner, sheet = SHEET): Parts => ({
  ...{ pinterest_account: account.id, file_name: "pins.csv", sheet: bytes(sheet) },
});

const importsOf = ({ account }: Owner) =>
  fixtures().db.select().from(pinImports).where(eq(pinImports.accountId, account.id));

describe("POST /api/users/pinterest/imports/", () => {
  test("returns {import_id, rows}, creates no pin, and replaces the import before", async () => {
    const own = await insertOwner();
    const first = await upload(own, sheetOf(own));
    const staged = { import_id: expect.stringMatching(/^imp_[0-9a-z]{26}$/), rows: 2 };
    expect([first.status, first.json]).toEqual([200, staged]);
    const images = zipSync({ "moss.png": new Uint8Array(await png(40, 60)) });
    const parts = { ...sheetOf(own, "Title,Image\nMoss,moss.png\n"), images, unknown: "x" };
    const second = await upload(own, parts);
    expect([second.status, second.json]).toEqual([200, { ...staged, rows: 1 }]);
    expect((await importsOf(own)).map(({ id, fileName }) => [id, fileName])).toEqual([
      [second.json.import_id, "pins.csv"],
    ]);
    const posts = await own.user.call(`/api/users/pinterest/generated-pins/${own.account.id}/`);
    expect(posts.json).toEqual({ posts: [] });
  });

  test("what can't be read is 400 with a sentence under its part, and stores nothing", async () => {
    const image = new Uint8Array(await png(40, 60));
    const cases: [string, Parts, string, string][] = [
      ["no file", { sheet: "" }, "sheet", SHEET_FAULTS.empty],
      ["no bytes", { sheet: bytes("") }, "sheet", SHEET_FAULTS.empty],
      ["only line breaks", { sheet: bytes(" \n\n") }, "sheet", SHEET_FAULTS.empty],
      ["only column names", { sheet: bytes("Title,Board\n") }, "sheet", SHEET_FAULTS.no_rows],
      ["5,001 rows", { sheet: bytes(`Title\n${"Moss\n".repeat(5_001)}`) }, "sheet", SHEET_FAULTS.too_many_rows],
      ["a picture", { sheet: image }, "sheet", SHEET_FAULTS.not_a_sheet],
      ["a ZIP file without a sheet", { sheet: zipSync({ "a.txt": strToU8("x") }) }, "sheet", SHEET_FAULTS.not_a_sheet],
      ["an old Excel file", { sheet: new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]) }, "sheet", SHEET_FAULTS.old_excel],
      ["a picture instead of a ZIP file", { images: image }, "images", ZIP_FAULTS.broken],
      ["no images", { images: zipSync({ "a.txt": strToU8("x") }) }, "images", ZIP_FAULTS.empty],
    ];
    for (const [what, parts, field, text] of cases) {
      const { status, json } = await upload(owner, { ...sheetOf(owner), ...parts });
      expect([what, status, json]).toEqual([what, 400, errorOf(field, text)]);
    }
    expect(await importsOf(owner)).toEqual([]);
  });

  test("a body without a sheet or an account is 400 and names the part", async () => {
    const { sheet, ...rest } = sheetOf(owner);
    const without = await upload(owner, rest);
    expect([without.status, without.json]).toEqual([400, errorOf("sheet", TEXTS.sheetNeeded)]);
    const bodies: Parts[] = [{ sheet: sheet ?? "" }, { sheet: sheet ?? "", pinterest_account: "" }];
    for (const parts of bodies) {
      const { status, json } = await upload(owner, parts);
      expect([status, json.fields]).toEqual([400, { pinterest_account: ["An account ID is required."] }]);
    }
  });

  test.each<[string, string, string]>([
    ["JSON", "application/json", "{}"],
    ["nothing", "multipart/form-data; boundary=a", ""],
    ["half a body", "multipart/form-data; boundary=a", '--a\r\nContent-Disposition: form-data; name="sheet"'],
  ])("%s is 400 in the standard shape", async (_, type, body) => {
    const { status, json } = await send(owner.user.token, body, type);
    expect([status, json]).toEqual([400, errorBody("invalid")]);
  });

  test("two sheets are 400, and one above 20 MB is 413, also without a content length", async () => {
    const form = new FormData();
    for (const name of ["a.csv", "b.csv"]) form.append("sheet", new File([SHEET], name));
    const twice = await send(owner.user.token, form);
    expect([twice.status, twice.json]).toEqual([
      400,
      errorBody("invalid", "Each part of the body needs a unique name."),
    ]);
    const large = new Uint8Array(SHEET_BYTES_MAX + 1).fill(120);
    const announced = await upload(owner, { ...sheetOf(owner), sheet: large });
    expect([announced.status, announced.json]).toEqual([413, errorBody("too_large", TEXTS.sheetTooLarge)]);
    const head = '--a\r\nContent-Disposition: form-data; name="sheet"; filename="a.csv"\r\n\r\n';
    const body = new Blob([head, large, "\r\n--a--\r\n"]).stream();
    const streamed = await send(owner.user.token, body, "multipart/form-data; boundary=a");
    expect([streamed.status, streamed.json]).toEqual([413, errorBody("too_large", TEXTS.sheetTooLarge)]);
    expect(await importsOf(owner)).toEqual([]);
  });

  test("R-API-31 another user's and an unknown account are 404, and store nothing", async () => {
    for (const pinterest_account of [owner.account.id, ABSENT_ACCOUNT, "' or 1=1 --"]) {
      const { status, json } = await upload(stranger, { ...sheetOf(stranger), pinterest_account });
      expect([pinterest_account, status, json]).toEqual([pinterest_account, 404, errorBody("not_found")]);
    }
    expect([await importsOf(owner), await importsOf(stranger)]).toEqual([[], []]);
  });

  test("409 while an import is being created, which stays, and for an account that must be reconnected", async () => {
    const own = await insertOwner();
    const { json: before } = await upload(own, sheetOf(own));
    // Nothing to do for a run, so that it stays as it is.
    const creating = { status: "creating" as const, wakeAt: null };
    await fixtures().db.update(pinImports).set(creating).where(eq(pinImports.id, before.import_id));
    const { status, json } = await upload(own, sheetOf(own));
    expect([status, json]).toEqual([409, errorBody("wrong_state", TEXTS.stillCreating)]);
    expect((await importsOf(own)).map(({ id }) => id)).toEqual([before.import_id]);
    const away = await insertOwner("reconnect_needed");
    const refused = await upload(away, sheetOf(away));
    expect([refused.status, refused.json]).toEqual([409, errorBody("reconnect_needed")]);
    expect(await importsOf(away)).toEqual([]);
  });

  test("R-API-30 401 without a token, 405 for other methods", async () => {
    const form = new FormData();
    form.set("sheet", new File([SHEET], "a.csv"));
    const anonymous = await send(null, form);
    expect([anonymous.status, anonymous.json]).toEqual([401, errorBody("unauthenticated")]);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const other = await owner.user.call(IMPORTS, { method });
      expect([method, other.status, other.json]).toEqual([method, 405, errorBody("method_not_allowed")]);
      expect(other.headers.get("allow")).toBe("POST");
    }
  });
});

const exportPath = (accountId: string, query: Record<string, string>) =>
  `/api/users/pinterest/pins-export/${encodeURIComponent(accountId)}/?${new URLSearchParams(query)}`;

describe("GET /api/users/pinterest/pins-export/{accountId}/", () => {
  const download = async ({ user, account }: Owner, query: Record<string, string>) => {
    const headers = { authorization: `Bearer ${user.token}` };
    const response = await fetch(`${inject("app").baseUrl}${exportPath(account.id, query)}`, { headers });
    const [type, disposition] = ["content-type", "content-disposition"].map((name) => response.headers.get(name));
    return { status: response.status, type, disposition, bytes: new Uint8Array(await response.arrayBuffer()) };
  };

  const attached = (name: string) => expect.stringMatching(new RegExp(`^attachment; filename="${name}"$`));
  const textOf = (file: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(file);

  test("sends each format with its type, under a name with the status and the day", async () => {
    const own = await insertOwner();
    await fixtures().pins(own.account, [{ title: "Moss" }, { title: "Out", status: "published" }]);
    const csv = await download(own, { status: "draft" });
    const day = "\\d{4}-\\d\\d-\\d\\d";
    const csvType = "text/csv; charset=utf-8";
    expect(csv).toMatchObject({ status: 200, type: csvType, disposition: attached(`pins-draft-${day}\\.csv`) });
    const text = textOf(csv.bytes);
    expect(text.startsWith("\ufeff")).toBe(true);
    const rows: string[][] = parse(text, { bom: true });
    expect(rows[0]).toEqual(OWN_COLUMNS.map(({ header }) => header));
    expect(rows.slice(1).map(([title]) => title)).toEqual(["Moss"]);

    const xlsx = await download(own, { status: "all", format: "xlsx" });
    const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    expect(xlsx).toMatchObject({ status: 200, type: xlsxType, disposition: attached(`pins-all-${day}\\.xlsx`) });
    expect(Object.keys(unzipSync(xlsx.bytes))).toContain("xl/workbook.xml");

    const pinterest = await download(own, { status: "all", format: "pinterest" });
    const disposition = attached(`pins-all-${day}-pinterest\\.csv`);
    expect(pinterest).toMatchObject({ status: 200, type: csvType, disposition });
    const [columns]: string[][] = parse(textOf(pinterest.bytes));
    expect(columns?.join()).toBe("Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords");
    await fixtures().pins(own.account, [{ title: "Moss" }]);
    const several = await download(own, { status: "draft", format: "pinterest" });
    const zipped = attached(`pins-draft-${day}-pinterest\\.zip`);
    expect(several).toMatchObject({ status: 200, type: "application/zip", disposition: zipped });
    expect(Object.keys(unzipSync(several.bytes))).toEqual(["pinterest-01.csv", "pinterest-02.csv"]);
  });

  test("an account without pins gives the names of the columns, in each status and format", async () => {
    for (const status of ["draft", "scheduled", "published", "failed", "all"]) {
      expect(
        textOf((await download(stranger, { status })).bytes)
          .trim()
          .split("\n"),
      ).toHaveLength(1);
    }
    for (const format of ["xlsx", "pinterest"]) {
      expect((await download(stranger, { status: "all", format })).status).toBe(200);
    }
  });

  test("5,001 pins are 400 in formats that imports take, and complete as CSV", async () => {
    const own = await insertOwner();
    await fixtures().pins(
      own.account,
      Array.from({ length: EXPORT_PINS_MAX + 1 }, (_, n) => ({ title: `Pin ${n}` })),
    );
    for (const format of ["xlsx", "pinterest"] as const) {
      const { status, json } = await own.user.call(exportPath(own.account.id, { status: "all", format }));
      expect([format, status, json]).toEqual([format, 400, errorOf("format", TEXTS.tooManyPins(format))]);
    }
    const csv = await download(own, { status: "all" });
    const rows: string[][] = parse(textOf(csv.bytes), { bom: true });
    expect(new Set(rows.map(([title]) => title)).size).toBe(EXPORT_PINS_MAX + 2);
  });

  test("an unknown or missing status or format is 400 and names the field", async () => {
    const statuses = "The status must be one of: draft, scheduled, published, failed, all.";
    const formats = "The format must be one of: csv, xlsx, pinterest.";
    for (const [query, field, text] of [
      [{}, "status", statuses],
      [{ status: "" }, "status", statuses],
      [{ status: "deleted" }, "status", statuses],
      [{ status: "all", format: "pdf" }, "format", formats],
      [{ status: "all", format: "" }, "format", formats],
    ] as const) {
      const { status, json } = await owner.user.call(exportPath(owner.account.id, query));
      expect([query, status, Object(json).fields]).toEqual([query, 400, { [field]: [text] }]);
      expect(json).toEqual({ ...errorBody("invalid", expect.stringContaining(text)), fields: expect.any(Object) });
    }
  });

  test("R-API-30 401 without a token, R-API-31 404 for another user's account, 405 for other methods", async () => {
    const query = { status: "all", format: "csv" };
    const anonymous = await callApp(exportPath(owner.account.id, query));
    expect([anonymous.status, anonymous.json]).toEqual([401, errorBody("unauthenticated")]);
    for (const id of [owner.account.id, ABSENT_ACCOUNT, "' or 1=1 --"]) {
      for (const format of ["csv", "xlsx", "pinterest"]) {
        const { status, json, headers } = await stranger.user.call(exportPath(id, { ...query, format }));
        expect([id, format, status, json]).toEqual([id, format, 404, errorBody("not_found")]);
        expect(headers.get("content-disposition")).toBeNull();
      }
    }
    const other = await owner.user.call(exportPath(owner.account.id, query), { method: "POST", body: {} });
    expect([other.status, other.json]).toEqual([405, errorBody("method_not_allowed")]);
    expect(other.headers.get("allow")).toBe("GET");
  });
});
