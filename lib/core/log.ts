/** A test compares this list with docs/log-fields.md. A trailing `*` stands for any suffix. */
export const WIDE_FIELDS = {
  at: "Start time, ISO 8601 in UTC.",
  ms: "Duration in milliseconds.",
  request_id: "Id of the request; also in the `x-request-id` header and in error bodies.",
  method: "HTTP method; `ACTION` for server actions and `FORM` for forms sent without JavaScript.",
  path: "Path with ids, keys, and tokens replaced by `:id`, `:key`, and `:token`; for actions, the name.",
  route: "Route pattern of the path.",
  page: "Path of the page that was rendered.",
  status: "HTTP status of the response.",
  outcome: "Of a request: `ok` or an error code. Of a publishing step: how the attempt ended.",
  actor: "Kind of caller: `visitor`, `user`, `key`, `webhook` or `job`.",
  user_id: "Id of the user.",
  login_id: "Id of the login.",
  key_id: "Id of the API key.",
  key_uses_problem: "Why uses of API keys could not be recorded; they are recorded with the next ones.",
  account_id: "Id of the connected Pinterest account.",
  group_id: "Id of the generation group that was started.",
  task_id: "Id of the generation task.",
  pin_id: "Id of the pin.",
  job: "Name of the durable function.",
  step: "Name of the step.",
  round: "Round of the run, counted from 0.",
  generation: "Schedule generation of the pin that the run belongs to.",
  attempt: "Attempt of the step, counted from 0.",
  error: "Code of the error that ended a step.",
  problem: "Message of the underlying error, without query parameters and email addresses.",
  stack: "Stack frames of that error.",
  tasks: "Generation tasks that were started.",
  tasks_finished: "Tasks that became a draft.",
  tasks_failed: "Tasks that failed and whose credits were returned.",
  generation_ms: "Time from the start of a generation task to its draft, in milliseconds.",
  unsent_tasks: "Tasks whose event the durable engine rejected; the sweep sends it.",
  engine_problem: "Why the durable engine rejected an event.",
  tasks_dispatched: "Queued tasks that were started.",
  tasks_revoked: "Tasks that were canceled before they started and whose credits were returned.",
  slot_wait_ms: "How long an image waited for an image slot in this call, in milliseconds.",
  slot_problem: "Why a freed image slot could not be passed on; it expires by itself.",
  lease_problem: "Why an image slot's lease could not be renewed immediately.",
  heartbeat_problem: "Why a task could not be marked as still in progress.",
  ai_problem: "Kind of problem that an AI model reported.",
  ai_detail: "The provider's message about it.",
  copy_fault: "What was wrong with a text that the model wrote twice, so that it was not used.",
  copy_repairs: "Texts that were sent back to the model, because our review found something wrong with them.",
  decision: "What followed from it: `retry` or `fail`.",
  drafts_made: "Drafts created from uploaded images or a spreadsheet.",
  import_id: "Id of the spreadsheet import.",
  import_rows: "Rows of a spreadsheet that were stored or confirmed.",
  import_files_problem:
    "Why files of a spreadsheet import could not be deleted right away; the nightly clean-up deletes them.",
  images_fetched: "Images of a spreadsheet that were fetched or refused.",
  salvage_problem: "Why complete images of an interrupted upload could not be saved.",
  boards_problem: "Why the boards of such drafts could not be checked.",
  pins_scheduled: "Pins that were scheduled.",
  pins_started: "Due pins for which a run was requested.",
  storage_problem: "Why the image storage is not available; generating and publishing wait for it.",
  storage_wait: "A generation task returned to the queue until the image storage is available.",
  storage_recovered: "The image storage is available again.",
  pins_resumed: "Due pins that waited for the image storage and are started again.",
  connections_renewed: "Pinterest accounts whose tokens were renewed before they expired.",
  connections_lost: "Accounts whose renewal Pinterest refused; their users are told.",
  renewals_failed: "Accounts whose renewal failed temporarily; the next day retries it.",
  pins_touched: "Pins affected by one change: the selected ones, or the scheduled ones of a removed account.",
  jobs_error: "Why the durable engine rejected the events of a schedule; the scan sends them.",
  late_ms: "Time from when a pin was due to the call to Pinterest, in milliseconds; first attempts only.",
  duplicate_created: "A call that counted as absent created its pin after all; it may be published twice.",
  pinterest_creates: "Calls to Pinterest that create a pin.",
  pinterest_video_uploads: "Uploads of videos to Pinterest.",
  upload_lease_problem: "Why the lease of a video's upload could not be renewed.",
  pinterest_board_checks: "Board checks for a pin with an unknown outcome.",
  pinterest_refreshes: "Renewals of an account's tokens.",
  "pinterest_problem_*": "Problems reported by Pinterest, by kind.",
  create_outcome: "Result of creating a pin: `created`, `refused` or `unknown`.",
  google_outcome: "Result of a sign-in with Google: `profile`, `declined` or `failed`.",
  google_problem: "Error code of a sign-in with Google, or of connecting one, that failed on our side.",
  publish_decision: "What happens to the pin next: `published`, `failed`, `draft`, `retry` or `held`.",
  payments_problem: "Why a deleted user's subscription could not be ended at the payment provider; it is retried.",
  "payments_problem_*": "Problems reported by the payment provider, by kind.",
  account_disconnected: "True when the account must be reconnected.",
  connection: "Result of connecting an account.",
  pinterest_status: "HTTP status of a refused connection.",
  pinterest_code: "Pinterest's error code of a refused connection.",
  profile_read_failures: "Accounts whose profile could not be read for the accounts screen.",
  profile_read_failure: "Error code of the last of these failures.",
  verification_problem: "Why a verification email could not be requested.",
  email_problem: "Why the mail server rejected an email.",
  email_kind: "Kind of the email.",
  emails_swept: "Emails for which a new event was sent.",
  digests_sent: "Digest emails that were queued.",
  digests_problem: "Why the last failed digest could not be queued; it is retried a minute later.",
  weekly_requested: "Users whose metrics were requested for the weekly email.",
  weekly_retried: "Accounts whose metrics were requested again after a failure.",
  weekly_sent: "Weekly emails that were queued.",
  weekly_problem: "Why the last failed weekly email could not be queued; it is retried in the next run.",
  export: "`interrupted`: a data export ended early.",
  link_state: "Result of a link check: `ok`, `dead`, `offline` …",
  page_outcome: "Result of reading a page for a draft: `read`, or why the page can't be used.",
  site_outcome: "Result of looking for a site's pages: its kind, or why it can't be read.",
  pages_proposed: "New pages of watched sites that were proposed.",
  sites_failed: "Watched sites whose reading failed on our side; they are read again within two hours.",
  links_problem: "Why a link check could not be requested; the sweep requests it.",
  analytics_calls: "Calls to Pinterest for metrics.",
  keyword_calls: "Calls to Pinterest for search trends and related keywords.",
  analytics_stored: "Pins whose metrics were stored.",
  analytics_outcome: "Result of syncing an account's metrics: `covered`, `held`, `off`, `not_needed`.",
  analytics_swept: "Syncs for which a new event was sent.",
  links_swept: "Link checks for which a new event was sent.",
  webhook_result: "How an endpoint answered: delivered, failed, gone, or offline (our own connection).",
  webhook_ms: "How long its answer took.",
  webhook_disabled: "Why an endpoint was turned off.",
  webhooks_swept: "Endpoints for which a new event was sent.",
  links_due: "Links of pins due soon whose check was old or missing.",
  videos_saved: "Videos in one save call, including those already saved.",
  videos_touched: "Saved videos that were deleted or restored.",
  live: "Live stream event: `ended`, `connection_lost`, `read_failed` or `login_check_failed`.",
  stream_end: "Why a stream ended: `left`, `login_ended`, `slow`, `read_failed` or `shutdown`.",
  stream_events: "Events sent on the stream.",
  payment_event: "Type of a payment event, such as `transaction.completed`.",
  payment_event_id: "Id of the event; `npm run payments:replay` applies it again.",
  payment_problem: "Why an event could not be read or applied.",
  payments_applied: "Stored events that were applied.",
  payments_failed: "Stored events that could not be applied; they keep their problem and are retried.",
  payments_swept: "Stored events for which a new durable event was sent.",
  payments_listed: "Events read from the payment provider's event list.",
  payments_missing: "Of these, events that no webhook had delivered.",
  payments_queried: "Payments and subscriptions queried at the provider because no event arrived.",
  payments_answered: "Of these, queries that were answered.",
  shutdown: "Signal that ended the process.",
  passkey_problem: "Why a passkey's response was rejected.",
  sign_in_problem: "Code of a problem that the sign-in library reported, such as `INVALID_CALLBACK_URL_ERROR`.",
  printed: "Level of a line that a library printed: `debug`, `log`, `info`, `warn` or `error`; `problem` holds it.",
} as const satisfies Record<string, string>;

type Names<K extends string> = K extends `${infer Stem}*` ? `${Stem}${string}` : K;

/** A field's name; add new ones to {@link WIDE_FIELDS} and docs/log-fields.md. */
type WideField = Names<keyof typeof WIDE_FIELDS>;

/** Flat and small; never a token, a password or an email address. */
type LogValue = string | number | boolean | null | undefined;

export type WideFields = { [F in WideField]?: LogValue };

/** One event per request or job step, filled along the way and written once at the end. */
export interface WideEvent {
  set(fields: WideFields): void;
  count(field: WideField, by?: number): void;
  fields(): Readonly<WideFields>;
}

const SECRET_NAME = /password|token|secret|authorization|cookie|(?:email|key)$/i;

/** Fields whose names look like secrets are dropped. */
export const createWideEvent = (first: WideFields = {}): WideEvent => {
  const fields: WideFields = {};
  const set = (more: WideFields) => {
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined && !SECRET_NAME.test(name)) Object.assign(fields, { [name]: value });
    }
  };
  set(first);
  return {
    set,
    count: (field, by = 1) => {
      const before = fields[field];
      fields[field] = (typeof before === "number" ? before : 0) + by;
    },
    fields: () => fields,
  };
};

type Listener = (fields: Readonly<WideFields>) => void;

// Next bundles modules once per layer; a global lets listeners receive the events of all of them.
const GLOBAL_KEY = Symbol.for("app.wide-events");
const globalStore = globalThis as { [GLOBAL_KEY]?: Set<Listener> };
globalStore[GLOBAL_KEY] ??= new Set();
const listeners = globalStore[GLOBAL_KEY];

export const onWideEvent = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** JSON leaves these as they are, but terminals and log viewers may act on them or break lines at them. */
const UNSAFE_IN_LINES = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const toLine = (fields: Readonly<WideFields>): string =>
  JSON.stringify(fields).replace(UNSAFE_IN_LINES, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const writeEvent = (event: WideEvent): void => {
  process.stdout.write(`${toLine(event.fields())}\n`);
  for (const listener of listeners) listener(event.fields());
};
