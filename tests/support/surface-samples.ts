import { png } from "./sample-images.ts";
import { sampleVideo } from "./sample-videos.ts";
import type { SurfaceUser } from "./surface-users.ts";
import { V1_SPECS } from "./surface-v1.ts";

/** The parts of a valid request. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Parts of a multipart body; files are bytes. */
  form?: Record<string, string | Uint8Array<ArrayBuffer>>;
}

/**
 * Who may make a call. `public`: everyone. `user`: signed-in users, about themselves. `owner`: signed-in users, with an
 * id of theirs. `apiKey`: whoever has a key of the user. `key`: whoever knows the unguessable path. `metrics`: the bearer of METRICS_TOKEN. `signed`: another
 * service. `nowhere`: it responds with 404.
 */
export type Access = "public" | "user" | "owner" | "apiKey" | "key" | "metrics" | "signed" | "nowhere";

export interface CallSpec {
  access: Access;
  /** A valid request of a user with their own ids. */
  sample: (user: SurfaceUser) => Sample;
  /** Statuses of that request; 200 by default. */
  own?: number[];
  /** It ends or changes what other requests of the same user need. */
  isDestructive?: boolean;
  /** It names nothing of a user. */
  isOwnerless?: boolean;
}

const PIN_IMAGE = new Uint8Array(await png(360, 560));
const VIDEO_FILE = new Uint8Array(sampleVideo());
const LOGO = new Uint8Array(await png(80, 80));
const DAY_MS = 86_400_000;

const lastDays = (): Record<string, string> => {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  return { start_date: day(9), end_date: day(3) };
};
const nothing = (): Sample => ({});
const ofAccount = ({ accountId }: SurfaceUser): Sample => ({ params: { accountId } });
const ofList = ({ listId }: SurfaceUser): Sample => ({ params: { listId } });
const results = (user: SurfaceUser): Sample => ({ ...ofAccount(user), query: lastDays() });
const newNames = () => {
  const username = `fuzz${Math.random().toString(36).slice(2, 12)}`;
  return { username, email: `${username}@example.com` };
};
const VIDEO = {
  video_url: "https://www.tiktok.com/@moss/video/7300000000000000009",
  ...{ title: "Moss #moss", author: "moss", author_url: "https://www.tiktok.com/@moss", views_count: "1.2M" },
  ...{ date_posted: "3d ago", uploaded_at: "2026-11-19T08:00:00.000Z", duration_seconds: 45, hashtags: ["moss"] },
};

/** Of a passkey that nobody has. */
export const passkeyAnswer = () => ({
  token: "t".repeat(43),
  response: {
    ...{ id: "AAAA", rawId: "AAAA", type: "public-key" as const, clientExtensionResults: {} },
    response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA", attestationObject: "AAAA" },
  },
});

const publicCall = (sample: CallSpec["sample"] = nothing, own?: number[]): CallSpec => ({
  access: "public",
  sample,
  ...(own && { own }),
});
const userCall = (sample: CallSpec["sample"] = nothing, own?: number[]): CallSpec => ({
  ...publicCall(sample, own),
  access: "user",
});
const ownerCall = (sample: CallSpec["sample"], own?: number[]): CallSpec => ({
  ...publicCall(sample, own),
  access: "owner",
});

const IDENTITY: Record<string, CallSpec> = {
  "GET /api/auth/[...nextauth]": publicCall(() => ({ params: { nextauth: "session" } })),
  "POST /api/auth/[...nextauth]": publicCall(() => ({ params: { nextauth: "signout" }, body: {} }), [200, 302]),
  "POST /api/auth/exchange": userCall(nothing, [204]),
  // Only the session cookie can be exchanged, and the matrix sends tokens.
  "PUT /api/auth/exchange": userCall(nothing, [401]),
  "GET /api/auth/google": publicCall(nothing, [302]),
  "GET /api/auth/google/callback": publicCall(() => ({ query: { state: "x", code: "y" } }), [302]),
  "POST /api/auth/passkey": publicCall(() => ({ body: passkeyAnswer() }), [401]),
  "POST /api/auth/passkey/options": publicCall(),
  "POST /api/auth/logout": { ...publicCall(nothing, [204]), isDestructive: true },
  "GET /api/users/checkAuth": userCall(),
  "GET /api/users/me": userCall(),
  "GET /api/users/export": userCall(),
  "POST /api/users/login": publicCall(({ email, password }) => ({ body: { email, password } })),
  "POST /api/users/login/verify": publicCall(() => ({ body: { challenge: "c".repeat(43), code: "123456" } }), [401]),
  "POST /api/users/register": publicCall(() => {
    const password = "Fresh-Moss-42!";
    const person = { ...newNames(), first_name: "Moss", last_name: "Fern" };
    return { body: { ...person, password, confirmPassword: password } };
  }, [201]),
  "POST /api/users/password-reset": publicCall(({ email }) => ({ body: { email } })),
  "POST /api/users/password-reset-confirm": publicCall(
    () => ({ body: { token: "t".repeat(43), new_password: "Fresh-Moss-42!" } }),
    [400],
  ),
  "POST /api/users/verify-email/resend": userCall(nothing, [409]),
  "POST /api/users/contact": publicCall(({ email }) => ({
    body: { name: "Ada", email, subject: "Hello", message: "Hello." },
  })),
  "GET /api/users/unsubscribe/[token]": publicCall(() => ({ params: { token: "x" } }), [303]),
  "POST /api/users/unsubscribe/[token]": publicCall(() => ({ params: { token: "x" } }), [400]),
};

const MONEY: Record<string, CallSpec> = {
  "GET /api/users/credits": userCall(),
  "GET /api/users/credits/history": userCall(() => ({ query: { limit: "5" } })),
  "GET /api/users/subscription": userCall(),
  "POST /api/users/subscription/cancel": userCall(nothing, [409]),
  "POST /api/users/subscription/resume": userCall(nothing, [409]),
  "POST /api/users/subscription/change": userCall(() => ({ body: { plan: "growth", preview: true } }), [409]),
  "POST /api/users/subscription/portal": userCall(nothing, [409]),
  "GET /api/users/payments": userCall(() => ({ query: { limit: "5" } })),
  "POST /api/users/payments/[id]/receipt": ownerCall(({ paymentId }) => ({ params: { id: paymentId } }), [502]),
  "GET /api/users/plans": publicCall(),
  "POST /api/users/checkout": userCall(() => ({ body: { kind: "pack", credits: 100 } })),
  // The provider does not know the payments that fixtures insert; billing-confirm.test.ts covers real ones.
  "POST /api/users/credits/purchase": ownerCall(({ paymentId }) => ({ body: { transactionId: paymentId } })),
  "POST /api/users/subscription/confirm": ownerCall(({ paymentId }) => ({ body: { transactionId: paymentId } }), [409]),
};

const PINTEREST: Record<string, CallSpec> = {
  "GET /api/users/pinterest/accounts": userCall(),
  "PUT /api/users/pinterest/accounts": {
    ...ownerCall(({ accountId }) => ({ body: { accountId } })),
    isDestructive: true,
  },
  "GET /api/users/pinterest/auth": ownerCall(({ accountId }) => ({ query: { account_id: accountId } })),
  "GET /api/users/pinterest/callback": publicCall(() => ({ query: { state: "x", code: "y" } }), [302]),
  "GET /api/users/pinterest/boards/[accountId]": ownerCall(ofAccount),
  "GET /api/users/pinterest/boards/[accountId]/[boardId]/sections": ownerCall(({ accountId, boardId }) => ({
    params: { accountId, boardId },
  })),
  "GET /api/users/pinterest/results/[accountId]": ownerCall(results),
  "GET /api/users/pinterest/results/[accountId]/top-pins": ownerCall(results),
  "GET /api/users/pinterest/results/[accountId]/report": ownerCall(results),
  "GET /api/users/pinterest/keyword-trends/[accountId]": ownerCall((user) => ({
    ...ofAccount(user),
    query: { region: "US", trend_type: "growing", interests: "beauty", ages: "65+", genders: "female" },
  })),
  // The product of the tests may not read related terms.
  "GET /api/users/pinterest/related-keywords/[accountId]": ownerCall(
    (user) => ({ ...ofAccount(user), query: { term: "bread" } }),
    [422],
  ),
  "GET /api/users/pinterest/keyword-suggestions/[accountId]": ownerCall((user) => ({
    ...ofAccount(user),
    query: { text: "bread" },
  })),
  "GET /api/users/pinterest/keyword-lists": userCall(),
  "POST /api/users/pinterest/keyword-lists": userCall(() => ({ body: { name: "Baking", keywords: ["bread"] } })),
  "GET /api/users/pinterest/keyword-lists/[listId]": ownerCall((user) => ({
    ...ofList(user),
    query: { account: user.accountId },
  })),
  "DELETE /api/users/pinterest/keyword-lists/[listId]": { ...ownerCall(ofList, [204]), isDestructive: true },
  "DELETE /api/users/pinterest/keyword-lists/[listId]/keywords/[keywordId]": {
    ...ownerCall(({ listId, keywordId }) => ({ params: { listId, keywordId } }), [204]),
    isDestructive: true,
  },
  "GET /api/users/pinterest/generated-pins/[accountId]": ownerCall((user) => ({
    ...ofAccount(user),
    query: { status: "all", limit: "5", counts: "true", q: "draft", sort: "title" },
  })),
  "GET /api/users/pinterest/track-pin-generation": ownerCall(({ groupId }) => ({ query: { group_id: groupId } })),
  "POST /api/users/pinterest/generate-pins": ownerCall(({ accountId, boardId }) => ({
    body: {
      pinterest_account: accountId,
      board_id: boardId,
      quality: "standard",
      keyword_data: [{ keyword: "moss", url: "https://example.com/" }],
    },
  })),
  "POST /api/users/pinterest/batch-publish-pins": {
    ...ownerCall(({ draftIds }) => ({
      body: {
        post_ids: draftIds,
        interval_minutes: 60,
        start: new Date(Date.now() + DAY_MS).toISOString(),
      },
    })),
    isDestructive: true,
  },
  "GET /api/users/pinterest/calendar/[accountId]": ownerCall((user) => ({
    ...ofAccount(user),
    query: { from: "2026-11-01T00:00:00+01:00", to: "2026-12-13T00:00:00+01:00" },
  })),
  "POST /api/users/pinterest/move-pins": {
    ...ownerCall(({ draftIds }) => ({
      body: { moves: draftIds.map((post_id) => ({ post_id, from: null, to: "2027-05-03T09:00:00.000Z" })) },
    })),
    isDestructive: true,
  },
  "POST /api/users/pinterest/create-bulk": ownerCall(
    ({ accountId, boardId }) => ({
      form: {
        pinterest_account: accountId,
        number_of_pins: "1",
        "pins[0]": JSON.stringify({ board_id: boardId, title: "Moss", description: "", url: "https://example.com/" }),
        "pins[0][image]": PIN_IMAGE,
      },
    }),
    [200, 201],
  ),
  "POST /api/users/pinterest/create-video": ownerCall(({ accountId, boardId }) => ({
    form: {
      pinterest_account: accountId,
      pin: JSON.stringify({ board_id: boardId, title: "Moss", url: "https://example.com/" }),
      cover: PIN_IMAGE,
      video: VIDEO_FILE,
    },
  })),
  "POST /api/users/pinterest/create-carousel": ownerCall(({ accountId, boardId }) => ({
    form: {
      pinterest_account: accountId,
      pin: JSON.stringify({ board_id: boardId, title: "Moss", slides: [{ title: "One" }, {}] }),
      "slides[0]": PIN_IMAGE,
      "slides[1]": PIN_IMAGE,
    },
  })),
  "POST /api/users/pinterest/imports": {
    ...ownerCall(({ accountId }) => ({
      form: {
        pinterest_account: accountId,
        file_name: "pins.csv",
        sheet: new TextEncoder().encode("Title,Board\nMoss,Moss\n"),
      },
    })),
    isDestructive: true,
  },
  "GET /api/users/pinterest/pins-export/[accountId]": ownerCall((user) => ({
    ...ofAccount(user),
    query: { status: "all", format: "csv" },
  })),
  "POST /api/users/pinterest/brand/[accountId]/logo": ownerCall((user) => ({
    ...ofAccount(user),
    form: { logo: LOGO },
  })),
};

const OTHERS: Record<string, CallSpec> = {
  "POST /api/users/save_tiktok_videos": userCall(() => ({ body: { videos: [VIDEO] } })),
  "GET /api/users/save_tiktok_videos": userCall(() => ({
    query: { search: "saved", limit: "5", counts: "true", hashtags: "true" },
  })),
  "DELETE /api/users/tiktok_videos/[id]": {
    ...ownerCall(({ videoId }) => ({ params: { id: videoId } }), [204]),
    isDestructive: true,
  },
  "GET /api/users/events": userCall(() => ({ query: { after: "0" } })),
  "GET /api/images/[...key]": { ...publicCall(({ imageKey }) => ({ params: { key: imageKey } })), access: "key" },
  "GET /api/videos/[...key]": {
    ...publicCall(({ videoKey }) => ({ params: { key: videoKey } })),
    access: "key",
  },
  "GET /api/health": publicCall(),
  "GET /api/openapi.json": publicCall(),
  "GET /.well-known/oauth-authorization-server": publicCall(),
  "GET /.well-known/oauth-protected-resource/[[...path]]": publicCall(() => ({ params: { path: "api/mcp" } })),
  "POST /api/oauth/register": publicCall(
    () => ({ body: { client_name: "Sample", redirect_uris: ["https://app.example/callback"] } }),
    [201],
  ),
  "POST /api/oauth/token": publicCall(nothing, [400]),
  "POST /api/oauth/revoke": publicCall(nothing, [400]),
  "DELETE /api/mcp": { access: "apiKey", sample: nothing },
  "GET /api/mcp": { access: "apiKey", sample: nothing },
  "POST /api/mcp": { access: "apiKey", sample: () => ({ body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }) },
  "GET /api/metrics": { access: "metrics", sample: nothing },
  "GET /api/inngest": { access: "signed", sample: nothing },
  "POST /api/inngest": { access: "signed", sample: () => ({ body: { event: {} } }) },
  "PUT /api/inngest": { access: "signed", sample: nothing },
  "POST /api/webhooks/paddle": { access: "signed", sample: () => ({ body: { event_type: "transaction.completed" } }) },
  "GET /blog/rss.xml": publicCall(),
  "GET /icons/[name]": publicCall(() => ({ params: { name: "app-192.png" } })),
  "GET /share/[...name]": publicCall(() => ({ params: { name: "pricing.jpg" } })),
  ...Object.fromEntries(
    ["DELETE", "GET", "PATCH", "POST", "PUT"].map((method): [string, CallSpec] => [
      `${method} /api/[[...unknown]]`,
      { access: "nowhere", sample: () => ({ params: { unknown: "nothing/here" } }) },
    ]),
  ),
};

/** Every call by method and path. One that is missing here fails `contract/surface-calls.test.ts`. */
export const CALL_SPECS: Record<string, CallSpec> = { ...IDENTITY, ...MONEY, ...PINTEREST, ...V1_SPECS, ...OTHERS };
