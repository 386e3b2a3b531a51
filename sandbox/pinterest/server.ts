import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type ControlState, createStandInApp, openControlState } from "../kit/control.ts";
import { applyFaults, type LabelsOf } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createSpec } from "../kit/spec.ts";
import { analyticsApi } from "./analytics.ts";
import { boardsApi } from "./boards.ts";
import { accountsControl, pinsControl } from "./control.ts";
import { ApiError, ERRORS, notSupported } from "./errors.ts";
import { consentLabels, labelsOf, PINTEREST_SCENARIOS } from "./faults.ts";
import { mediaApi, UPLOAD_PATH, uploadApi } from "./media.ts";
import type { PinterestEvent } from "./model.ts";
import { oauthPages, oauthTokenApi } from "./oauth.ts";
import { notFound, webPages } from "./pages.ts";
import { pinsApi } from "./pins.ts";
import { createRateLimits } from "./rate-limits.ts";
import { PINTEREST_SETTINGS } from "./settings.ts";
import { openStore } from "./state.ts";
import { trendsApi } from "./trends.ts";
import type { OAuthClient, Pinterest } from "./wire.ts";

export interface PinterestOptions extends ListenOptions {
  /** Folder for `pinterest.jsonl` and the images. */
  dataDir: string;
  /** The app that may connect; by default {@link SANDBOX_CLIENT}. */
  client?: OAuthClient;
}

export const SANDBOX_CLIENT: OAuthClient = { id: "1500000", secret: "pinterest-sandbox-secret" };

const MAX_BODY_BYTES = 40 * 1024 * 1024;

/** Starts Pinterest on one origin: the API, the consent page, and pages of accounts and pins. */
export function startPinterest(options: PinterestOptions): Promise<Handle> {
  const journal = openJournal<PinterestEvent>(join(options.dataDir, "pinterest.jsonl"));
  const control = openControlState(options.dataDir, { scenarios: PINTEREST_SCENARIOS, settings: PINTEREST_SETTINGS });
  const { clock, settings } = control;
  const pinterest: Pinterest = {
    store: openStore(journal),
    clock,
    spec: createSpec("pinterest-v5"),
    limits: createRateLimits(clock, () => settings.values),
    get settings() {
      return settings.values;
    },
    client: options.client ?? SANDBOX_CLIENT,
    mediaFolder: join(options.dataDir, "pinterest-media"),
  };
  return serve(buildApp(pinterest, control), options, () => {
    journal.close();
    control.close();
  });
}

function buildApp(pinterest: Pinterest, control: ControlState<typeof PINTEREST_SETTINGS>): Hono<StandInEnv> {
  const reset = () => {
    pinterest.store.reset();
    pinterest.limits.clear();
    rmSync(pinterest.mediaFolder, { recursive: true, force: true });
  };
  const withFaults = (labels: LabelsOf) => applyFaults(control.faults, labels);
  const app = createStandInApp(control, { counts: () => countsOf(pinterest), reset });
  for (const routes of [accountsControl, pinsControl]) app.route("/__control", routes(pinterest));
  // An upload's form is too large to be read for labels.
  app.use(
    UPLOAD_PATH,
    withFaults(() => ({})),
  );
  app.route("/", uploadApi(pinterest));
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.use("/v5/*", withFaults(labelsOf(pinterest)));
  app.use("/oauth/*", withFaults(consentLabels));
  const api = [oauthTokenApi, boardsApi, analyticsApi, pinsApi, mediaApi, trendsApi];
  for (const routes of api) app.route("/v5", routes(pinterest));
  for (const pages of [oauthPages, webPages]) app.route("/", pages(pinterest));
  app.onError(errorResponse);
  app.notFound((c) => (c.req.path.startsWith("/v5/") ? unknownCall(c) : notFound(c)));
  return app;
}

function countsOf({ store, clock }: Pinterest): Record<string, number> {
  const { accounts, boards, pins, byAccessToken } = store.state;
  const now = clock.now();
  const activeGrants = [...byAccessToken.values()].filter(({ accessExpiresAt }) => new Date(accessExpiresAt) > now);
  const connected = new Set(activeGrants.map(({ accountId }) => accountId)).size;
  return { accounts: accounts.size, connected, boards: boards.size, pins: pins.size };
}

function errorResponse(error: Error, c: Context<StandInEnv>): Response {
  if (!(error instanceof ApiError)) console.error("Pinterest stand-in:", error);
  const { status, code, message } = error instanceof ApiError ? error.reply : ERRORS.serverError;
  return c.json({ code, message }, status);
}

function unknownCall(c: Context<StandInEnv>): Response {
  return errorResponse(new ApiError(notSupported(`${c.req.method} ${c.req.path}`)), c);
}
