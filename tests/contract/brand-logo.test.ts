import { beforeAll, describe, expect, inject, test } from "vitest";
import { LOGO_BYTES_MAX } from "#lib/features/branding/constants.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { readMetadata } from "#tests/support/image-metadata.ts";
import { badImages, photo, png } from "#tests/support/sample-images.ts";
import { type BulkResponse, createPinCreator, type PinCreator } from "./bulk-harness.ts";
import { browserHeaders, errorBody, openSession } from "./wire-harness.ts";

let creator: PinCreator;
let stranger: PinCreator;
const bad = await badImages();

beforeAll(async () => {
  [creator, stranger] = [await createPinCreator(), await createPinCreator()];
});

const pathOf = (accountId: string) => `/api/users/pinterest/brand/${accountId}/logo/`;

interface Sent {
  token?: string | null;
  accountId?: string;
  headers?: Record<string, string>;
}

const post = async (
  body: BodyInit,
  { token = creator.token, accountId, headers }: Sent = {},
): Promise<BulkResponse> => {
  const response = await fetch(`${inject("app").baseUrl}${pathOf(accountId ?? creator.accountId)}`, {
    method: "POST",
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    body,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, json: Object(await response.json()), headers: response.headers };
};

const formOf = (bytes: Uint8Array, name = "logo.png", type = "image/png"): FormData => {
  const form = new FormData();
  form.set("logo", new File([new Uint8Array(bytes)], name, { type }));
  return form;
};

const invalid = (text: unknown) => ({ ...errorBody("invalid", text), fields: expect.any(Object) });

describe("POST /api/users/pinterest/brand/{accountId}/logo/", () => {
  test("R-SRV-07 returns the kit; the logo is served as a PNG without metadata, under a signed URL of its own", async () => {
    const { status, json } = await post(formOf(await photo(900, 600), "holiday.svg", "image/svg+xml"));
    expect([status, json]).toEqual([
      200,
      {
        account_id: creator.accountId,
        colours: { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" },
        font_pairing: "reading",
        logo_url: expect.stringMatching(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/logos\/[0-9a-f]{40}\.png$/),
      },
    ]);
    const answer = await fetch(`${inject("app").baseUrl}${json.logo_url}`);
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      200,
      {
        "content-type": "image/png",
        "cache-control": expect.stringMatching(/^private, max-age=\d+, immutable$/),
        "x-content-type-options": "nosniff",
      },
    ]);
    expect(readMetadata(new Uint8Array(await answer.arrayBuffer()))).toEqual({
      kind: "png",
      parts: [],
      xmp: "",
      behindBytes: 0,
    });
  });

  test.each(bad)("R-SRV-07 $name, named as a PNG", async ({ file, says }) => {
    const { status, json } = await post(formOf(file));
    expect([status, json]).toEqual([400, invalid(expect.stringMatching(says))]);
    expect(json.fields).toEqual({ logo: [expect.stringMatching(says)] });
  });

  test("accepts 5 MB, one byte more is 413", async () => {
    const large = Buffer.concat([await png(60, 30), Buffer.alloc(LOGO_BYTES_MAX)]);
    const { status, json } = await post(formOf(large));
    expect([status, json]).toMatchObject([413, { message: "Logos can be up to 5 MB." }]);
    const within = Buffer.concat([await png(60, 30), Buffer.alloc(LOGO_BYTES_MAX)]).subarray(0, LOGO_BYTES_MAX);
    expect((await post(formOf(within))).status).toBe(200);
  });

  test.each<[string, (form: FormData) => void, number]>([
    ["no file", (form) => form.delete("logo"), 400],
    ["a text instead of a file", (form) => form.set("logo", "text"), 400],
    ["a file under another name", (form) => form.set("other", form.get("logo") ?? ""), 400],
    ["two logos", (form) => form.append("logo", form.get("logo") ?? ""), 400],
  ])("%s is rejected with a message", async (name, change, status) => {
    const form = formOf(await png(60, 30));
    change(form);
    if (name.startsWith("a file under")) form.delete("logo");
    const answer = await post(form);
    expect([answer.status, answer.json]).toMatchObject([status, { code: "invalid", message: expect.any(String) }]);
  });

  test.each([
    ["JSON", "application/json", "{}"],
    ["no boundary", "multipart/form-data", "x"],
    [
      "half a body",
      "multipart/form-data; boundary=a",
      '--a\r\nContent-Disposition: form-data; name="logo"; filename="x"\r\n\r\nx',
    ],
  ])("%s is 400 in the standard shape", async (_, type, body) => {
    const { status, json } = await post(body, { headers: { "content-type": type } });
    expect([status, json]).toMatchObject([400, { code: "invalid" }]);
  });

  test("R-API-31 another user's account, a missing account and no login: nothing is stored", async () => {
    const file = await png(60, 30);
    for (const accountId of [creator.accountId, "acc_00000000000000000000000000", "..%2f..%2fx"]) {
      const { status, json } = await post(formOf(file), { token: stranger.token, accountId });
      expect([status, json]).toEqual([404, errorBody("not_found")]);
    }
    const { status, json } = await post(formOf(file), { token: null });
    expect([status, json]).toEqual([401, errorBody("unauthenticated")]);
    const own = await post(formOf(file), { token: stranger.token, accountId: stranger.accountId });
    expect(own.json).toMatchObject({ account_id: stranger.accountId });
  });

  test("R-API-32 a cookie request from another origin, or without the CSRF header, is rejected", async () => {
    const { baseUrl } = inject("app");
    const { cookie } = await openSession({ callApp });
    const good = browserHeaders(cookie, baseUrl);
    const { "x-csrftoken": _, ...bare } = good;
    for (const headers of [{ ...good, origin: "https://evil.example" }, bare]) {
      const { status, json } = await post(formOf(await png(60, 30)), { token: null, headers });
      expect([status, json]).toEqual([403, errorBody("csrf")]);
    }
    // With both, the request passes; the account is another user's.
    const heard = await post(formOf(await png(60, 30)), { token: null, headers: good });
    expect(heard.status).toBe(404);
  });

  test("other methods are 405", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const answer = await callApp(pathOf(creator.accountId), { method });
      expect([method, answer.status]).toEqual([method, 405]);
    }
  });
});
