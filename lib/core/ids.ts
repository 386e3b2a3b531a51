/** Prefix by kind. Ids are opaque to clients; the prefix helps people to recognize them. */
export const ID_PREFIX = {
  user: "usr",
  login: "lgn",
  account: "acc",
  group: "grp",
  task: "tsk",
  pin: "pin",
  batch: "bat",
  attempt: "att",
  transfer: "trf",
  request: "req",
  email: "eml",
  message: "msg",
  emailChange: "ech",
  purchase: "pur",
  video: "vid",
  securityEvent: "sev",
  passkey: "psk",
  import: "imp",
  keywordList: "kwl",
  savedKeyword: "kwd",
  watch: "wch",
  proposal: "prp",
  apiKey: "key",
  oauthClient: "ocl",
  webhookEndpoint: "whe",
  webhookMessage: "whm",
  webhookDelivery: "whd",
} as const;

export type IdKind = keyof typeof ID_PREFIX;
export type Id<K extends IdKind> = string & { readonly __id: K };

export type UserId = Id<"user">;
export type LoginId = Id<"login">;
export type AccountId = Id<"account">;
export type GroupId = Id<"group">;
export type TaskId = Id<"task">;
export type PinId = Id<"pin">;
export type BatchId = Id<"batch">;
export type AttemptId = Id<"attempt">;
export type EmailId = Id<"email">;
export type PurchaseId = Id<"purchase">;
export type VideoId = Id<"video">;
export type ImportId = Id<"import">;
export type ApiKeyId = Id<"apiKey">;
export type OauthClientId = Id<"oauthClient">;
export type WebhookEndpointId = Id<"webhookEndpoint">;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

const encodeTime = (ms: number): string => {
  let rest = ms;
  let out = "";
  for (let i = 0; i < 10; i++) {
    out = ALPHABET.charAt(rest % 32) + out;
    rest = Math.floor(rest / 32);
  }
  return out;
};

const encodeRandom = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => ALPHABET.charAt(byte % 32)).join("");

/** A new id: prefix, 48 bits of time, 80 random bits; sorts by creation time. */
export const createId = <K extends IdKind>(kind: K, at: Date): Id<K> =>
  // The only place that brands an id of our own.
  `${ID_PREFIX[kind]}_${encodeTime(at.getTime())}${encodeRandom()}` as Id<K>;

const PATTERNS = Object.fromEntries(
  Object.entries(ID_PREFIX).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_[0-9a-z]{26}$`)]),
) as Record<IdKind, RegExp>;

/** Whether a value has the shape of such an id; says nothing about existence or ownership. */
export const isId = <K extends IdKind>(kind: K, value: unknown): value is Id<K> =>
  typeof value === "string" && PATTERNS[kind].test(value);
