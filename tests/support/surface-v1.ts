import { png } from "./sample-images.ts";
import type { CallSpec, Sample } from "./surface-samples.ts";
import type { SurfaceUser } from "./surface-users.ts";

const IMAGE = new Uint8Array(await png(360, 560));
const DAY_MS = 86_400_000;
const UNKNOWN_UPLOAD = "0".repeat(64);

const days = (): Record<string, string> => {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  return { start_date: day(9), end_date: day(3) };
};
const soon = (): string => new Date(Date.now() + DAY_MS).toISOString();

const ofAccount =
  (query?: () => Record<string, string>) =>
  ({ accountId }: SurfaceUser): Sample => ({ params: { account_id: accountId }, ...(query && { query: query() }) });

const keyCall = (sample: CallSpec["sample"], own: number[] = [200], isDestructive = false): CallSpec => ({
  ...{ access: "apiKey", sample, own, isDestructive },
});

const PINS: Record<string, CallSpec> = {
  "GET /api/v1/pins": keyCall(({ accountId }) => ({ query: { account_id: accountId, status: "draft", limit: "2" } })),
  "GET /api/v1/pins/[pin_id]": keyCall(({ publishedId }) => ({ params: { pin_id: publishedId } })),
  "POST /api/v1/uploads": { ...keyCall(() => ({ form: { image: IMAGE } }), [201]), isOwnerless: true },
  // The image of this id is unknown, so the own request is refused after the checks of the account and the board.
  "POST /api/v1/pins": keyCall(
    ({ accountId, boardId }) => ({
      body: { account_id: accountId, pins: [{ board_id: boardId, title: "Moss", upload_id: UNKNOWN_UPLOAD }] },
    }),
    [400],
  ),
  "PATCH /api/v1/pins/[pin_id]": keyCall(({ draftIds }) => ({
    params: { pin_id: draftIds[0] ?? "" },
    body: { title: "Moss garden", link: "https://example.com/moss", alt_text: "Moss" },
  })),
  "DELETE /api/v1/pins/[pin_id]": keyCall(({ draftIds }) => ({ params: { pin_id: draftIds[1] ?? "" } }), [204], true),
  "POST /api/v1/schedules": keyCall(
    ({ draftIds }) => ({ body: { pin_ids: draftIds.slice(0, 2), interval_minutes: 60, start: soon() } }),
    [201],
    true,
  ),
  "POST /api/v1/pins/[pin_id]/schedule": keyCall(({ scheduledId }) => ({
    params: { pin_id: scheduledId },
    body: { at: soon() },
  })),
  "POST /api/v1/pins/[pin_id]/unschedule": keyCall(
    ({ scheduledId }) => ({ params: { pin_id: scheduledId } }),
    [200],
    true,
  ),
  "POST /api/v1/pins/[pin_id]/publish": keyCall(
    ({ draftIds }) => ({ params: { pin_id: draftIds[0] ?? "" } }),
    [202],
    true,
  ),
};

const OTHERS: Record<string, CallSpec> = {
  "GET /api/v1/accounts": { ...keyCall(() => ({})), isOwnerless: true },
  "GET /api/v1/accounts/[account_id]": keyCall(ofAccount()),
  "GET /api/v1/accounts/[account_id]/boards": keyCall(ofAccount()),
  "GET /api/v1/accounts/[account_id]/boards/[board_id]/sections": keyCall(({ accountId, boardId }) => ({
    params: { account_id: accountId, board_id: boardId },
  })),
  "POST /api/v1/generations": keyCall(
    ({ accountId, boardId }) => ({
      body: { account_id: accountId, board_id: boardId, quality: "standard", keywords: [{ keyword: "moss" }] },
    }),
    [202],
  ),
  "GET /api/v1/generations/[generation_id]": keyCall(({ groupId }) => ({ params: { generation_id: groupId } })),
  "POST /api/v1/generations/[generation_id]/cancel": keyCall(({ groupId }) => ({ params: { generation_id: groupId } })),
  "GET /api/v1/accounts/[account_id]/analytics": keyCall(ofAccount(days)),
  "GET /api/v1/accounts/[account_id]/analytics/top-pins": keyCall(ofAccount(days)),
  "GET /api/v1/accounts/[account_id]/analytics/report": keyCall(ofAccount(days)),
  "GET /api/v1/accounts/[account_id]/keyword-trends": keyCall(ofAccount(() => ({ region: "US" }))),
  "GET /api/v1/accounts/[account_id]/related-keywords": keyCall(
    ofAccount(() => ({ term: "bread" })),
    [422],
  ),
  "GET /api/v1/keyword-lists": { ...keyCall(() => ({})), isOwnerless: true },
  "POST /api/v1/keyword-lists": {
    ...keyCall(() => ({ body: { name: "Fall", keywords: ["rye"] } })),
    isOwnerless: true,
  },
  "GET /api/v1/keyword-lists/[list_id]": keyCall(({ listId }) => ({ params: { list_id: listId } })),
  "DELETE /api/v1/keyword-lists/[list_id]": keyCall(({ listId }) => ({ params: { list_id: listId } }), [204], true),
  "DELETE /api/v1/keyword-lists/[list_id]/keywords/[keyword_id]": keyCall(
    ({ listId, keywordId }) => ({ params: { list_id: listId, keyword_id: keywordId } }),
    [204],
    true,
  ),
  "GET /api/v1/credits": { ...keyCall(() => ({})), isOwnerless: true },
  "GET /api/v1/credits/history": { ...keyCall(() => ({ query: { limit: "2" } })), isOwnerless: true },
  "GET /api/v1/videos": { ...keyCall(() => ({ query: { limit: "1" } })), isOwnerless: true },
  "POST /api/v1/videos": {
    ...keyCall(() => ({
      body: { videos: [{ video_url: "https://www.tiktok.com/@moss/video/7300000000000000009", title: "Moss" }] },
    })),
    isOwnerless: true,
  },
  "DELETE /api/v1/videos/[video_id]": keyCall(({ videoId }) => ({ params: { video_id: videoId } }), [204], true),
};

const WEBHOOKS: Record<string, CallSpec> = {
  "GET /api/v1/webhooks": { ...keyCall(() => ({})), isOwnerless: true },
  "POST /api/v1/webhooks": {
    ...keyCall(() => ({ body: { url: "https://hooks.example.com/pins", events: ["pin.published"] } }), [201], true),
    isOwnerless: true,
  },
  "PATCH /api/v1/webhooks/[webhook_id]": keyCall(({ webhookId }) => ({
    params: { webhook_id: webhookId },
    body: { description: "Shop" },
  })),
  "DELETE /api/v1/webhooks/[webhook_id]": keyCall(
    ({ webhookId }) => ({ params: { webhook_id: webhookId } }),
    [204],
    true,
  ),
  "POST /api/v1/webhooks/[webhook_id]/rotate": keyCall(
    ({ webhookId }) => ({ params: { webhook_id: webhookId } }),
    [200],
    true,
  ),
  "POST /api/v1/webhooks/[webhook_id]/test": keyCall(({ webhookId }) => ({ params: { webhook_id: webhookId } }), [202]),
  "GET /api/v1/webhooks/[webhook_id]/deliveries": keyCall(({ webhookId }) => ({
    params: { webhook_id: webhookId },
    query: { limit: "1" },
  })),
  "GET /api/v1/deliveries/[delivery_id]": keyCall(({ deliveryId }) => ({ params: { delivery_id: deliveryId } })),
  "POST /api/v1/deliveries/[delivery_id]/replay": keyCall(
    ({ deliveryId }) => ({ params: { delivery_id: deliveryId } }),
    [202],
    true,
  ),
};

/** Every call of the public API. One that is missing here fails `contract/surface-calls.test.ts`. */
export const V1_SPECS: Record<string, CallSpec> = { ...PINS, ...OTHERS, ...WEBHOOKS };
