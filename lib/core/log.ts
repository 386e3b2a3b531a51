/**
 * Every field that a wide event may have, and what it says; nothing else can be set. `docs/guides/operations.md` holds
 * the same list for whoever reads the log, and a test compares the two. A name ending in `*` stands for several.
 */
export const WIDE_FIELDS = {
  at: "When it began, ISO 8601 in UTC.",
  ms: "How long it took, in milliseconds.",
  request_id: "Id of the request; also in the answer's `x-request-id` header and in the body of an error.",
  method: "HTTP method; `ACTION` for what a screen asks the server to do.",
  path: "Path of the call with `:id`, `:key` or `:token` in place of what is not to be logged; name of the action.",
  route: "Pattern of that path: one for each kind of call, whatever was in its place.",
  page: "Path of the page on whose behalf something was read.",
  status: "HTTP status of the answer.",
  outcome: "Of a request: `ok` or the code of its error. Of a publishing step: how the attempt ended.",
  actor: "Who asked: `visitor`, `user`, `webhook` or `job`.",
  user_id: "Id of the user.",
  login_id: "Id of the login.",
  account_id: "Id of the connected Pinterest account.",
  group_id: "Id of the group of pins that was started.",
  task_id: "Id of the generation task the step works on.",
  pin_id: "Id of the pin the step works on.",
  job: "Name of the durable function.",
  step: "Name of its step.",
  round: "Round of the publishing run, counted from 0.",
  generation: "Which scheduling of the pin the run belongs to.",
  attempt: "Try of the step, counted from 0.",
  error: "Code of the error that ended a step.",
  problem: "Message of the error behind it, without parameters of queries and without mail addresses.",
  stack: "Where that error was thrown: frames only.",
  tasks: "Pins that were started.",
  tasks_finished: "Tasks that became a draft.",
  tasks_failed: "Tasks that were given up, their credits returned.",
  making_ms: "From the start of a generation task to its draft, in milliseconds.",
  unsent_tasks: "Tasks whose event the durable engine did not take; the sweep sends it.",
  engine_problem: "Why the durable engine did not take an event.",
  tasks_called: "Waiting tasks whose turn to be made came.",
  tasks_revoked: "Tasks that were cancelled before they began, their credits returned.",
  line_ms: "How long a picture waited for a place to draw in this call, in milliseconds.",
  place_problem: "Why a place to draw could not be handed on; it comes free by itself.",
  lease_problem: "Why a lease of a place to draw could not be renewed at once.",
  ai_problem: "Kind of the problem that a model answered with.",
  ai_detail: "What the provider said about it.",
  decision: "What was decided upon it: `retry` or `fail`.",
  drafts_made: "Drafts that were made from a person's own pictures.",
  keep_problem: "Why images that had come whole when an upload broke off could not be kept.",
  boards_unread: "Why the boards of such drafts could not be checked.",
  pins_scheduled: "Pins that were scheduled.",
  pins_swept: "Scheduled pins that a new event was sent for.",
  pins_touched:
    "Pins that one change was about: those of a removed account that were scheduled, or those somebody chose.",
  jobs_error: "Why the durable engine did not take the events of a schedule.",
  events_left_to_sweep: "Events that the sweep sends instead.",
  late_ms: "From the time a pin was due to the call to Pinterest, in milliseconds; of its first attempt only.",
  pinterest_creates: "Calls to Pinterest that create a pin.",
  pinterest_looks: "Searches of a board for a pin whose outcome was not known.",
  pinterest_refreshes: "Renewals of an account's tokens.",
  "pinterest_problem_*": "Problems that calls to Pinterest answered with, by kind.",
  create_outcome: "Answer to creating: `created`, `refused` or `unknown`.",
  ruling: "What became of the pin: `published`, `failed`, `draft`, `again` or `held`.",
  payments_problem:
    "Why a subscription of a deleted user could not be ended at the payment provider; it is tried again.",
  "payments_problem_*": "Problems that calls to the payment provider answered with, by kind.",
  account_disconnected: "True when the account has to be connected again.",
  connection: "How connecting an account ended.",
  pinterest_status: "HTTP status that refused a connection.",
  pinterest_code: "Pinterest's code for it.",
  profile_read_failures: "Accounts whose counts could not be read for the accounts screen.",
  profile_read_failure: "Code of the last of these failures.",
  verification_problem: "Why a verification mail could not be asked for.",
  mail_problem: "Why the mail server did not take a mail.",
  letter: "Kind of the mail that was sent, or was to be.",
  letters_swept: "Mails that a new event was sent for.",
  digests_posted: "Users who were told by one mail what failed or was lost.",
  digests_problem: "Why the last user who could not be told was not; it is tried again a minute later.",
  weekly_asked: "Users whose figures were asked for before they are told of their week.",
  weekly_again: "Accounts whose figures were asked for again, since they could not be fetched at first.",
  weekly_posted: "Users who were told by mail what their pins did in a week.",
  weekly_problem: "Why the last user who could not be told was not; it is tried again with the next run.",
  export: "`broke_off`: the download of somebody's data ended early.",
  link_state: "What was found behind a link: `ok`, `dead`, `offline` …",
  links_problem: "Why the check of a link could not be announced; the sweep does that.",
  results_calls: "Calls to Pinterest for figures, of a move of a run or a screen.",
  results_stored: "Pins whose figures a move of a run stored.",
  results_outcome: "How fetching an account's figures ended: `covered`, `held`, `off`, `not_needed`.",
  results_swept: "Fetchings of figures that a new event was sent for.",
  links_swept: "Links that a new event was sent for.",
  links_due: "Links of pins due soon whose check was old or missing.",
  videos_saved: "Videos that one call saved, new ones and those that were there already.",
  videos_touched: "Saved videos that were deleted, or brought back.",
  live: "Of live streams: `ended`, `connection_lost`, `read_failed` or `logins_unread`.",
  stream_end: "Why a stream ended: `left`, `login_ended`, `slow`, `read_failed` or `shutdown`.",
  stream_events: "Events that it sent.",
  payment_event: "Type of an event of the payment provider: `transaction.completed`.",
  payment_event_id: "Its id; with it `npm run payments:replay` applies it again.",
  payment_problem: "Why an event could not be read or applied.",
  payments_applied: "Stored events that were applied.",
  payments_failed: "Stored events that could not be applied; they keep their problem and are tried again.",
  payments_swept: "Stored events that a new durable event was sent for.",
  payments_listed: "Events that were read from the payment provider's own list.",
  payments_missing: "Of these, events that no webhook had brought.",
  payments_asked: "Payments and subscriptions that the provider was asked about because no news came.",
  payments_answered: "Of these, questions that it answered.",
  shutdown: "The signal that ended the process, once everything was finished or cut off.",
} as const satisfies Record<string, string>;

type Names<K extends string> = K extends `${infer Stem}*` ? `${Stem}${string}` : K;

/** A field's name; a new one is added to {@link WIDE_FIELDS} and to the guide first. */
type WideField = Names<keyof typeof WIDE_FIELDS>;

/** What a wide event may hold: flat, small, never a token, a password or a mail address. */
type LogValue = string | number | boolean | null | undefined;

/** Some fields of a wide event. */
export type WideFields = { [F in WideField]?: LogValue };

/** One event per request or job, filled along the way and written once (DESIGN §3, EXAMPLES §16). */
export interface WideEvent {
  set(fields: WideFields): void;
  /** Adds to a number, for counting calls to a provider. */
  count(field: WideField, by?: number): void;
  fields(): Readonly<WideFields>;
}

const SECRET_NAME = /password|token|secret|authorization|cookie|email|key$/i;

/** An empty wide event with its first fields. Names that sound like secrets are dropped, whatever they hold. */
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

// Next bundles a module once per layer; whoever listens hears the events of all of them.
const PLACE = Symbol.for("app.wide-events");
const everyLayer = globalThis as { [PLACE]?: Set<Listener> };
everyLayer[PLACE] ??= new Set();
const listeners = everyLayer[PLACE];

/** Calls back for each wide event of this process once it is written; what is counted is what the log says. */
export const onWideEvent = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Writes one line of JSON to standard output. */
export const writeEvent = (event: WideEvent): void => {
  process.stdout.write(`${JSON.stringify(event.fields())}\n`);
  for (const listener of listeners) listener(event.fields());
};
