import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { applyFaults } from "../kit/apply-faults.ts";
import { type ControlState, controlRoutes, openControlState } from "../kit/control.ts";
import { logRequests, openJournal } from "../kit/journal.ts";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "../kit/serve.ts";
import { createSpec } from "../kit/spec.ts";
import { uiRoutes } from "../kit/ui/page.ts";
import { analyticsApi } from "./analytics.ts";
import { boardsApi } from "./boards.ts";
import { accountsControl, pinsControl } from "./control.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { consentLabels, labelsOf, PINTEREST_SCENARIOS, uploadLabels } from "./faults.ts";
import { mediaApi, UPLOAD_PATH, uploadApi } from "./media.ts";
import type { PinterestEvent } from "./model.ts";
import { oauthPages, oauthTokenApi } from "./oauth.ts";
import { notFound, webPages } from "./pages.ts";
import { pinsApi } from "./pins.ts";
import { createRateLimits } from "./rate-limits.ts";
import { PINTEREST_SETTINGS } from "./settings.ts";
import { createStore } from "./state.ts";
import { trendsApi } from "./trends.ts";
import type { OAuthClient, Pinterest } from "./wire.ts";

/** Options of the Pinterest stand-in. */
export interface PinterestOptions extends ListenOptions {
  /** Folder for `pinterest.jsonl` and the images. */
  dataDir: string;
  /** The app that may connect; by default {@link SANDBOX_CLIENT}. */
  client?: OAuthClient;
}

/** The default app. */
export const SANDBOX_CLIENT: OAuthClient = { id: "1500000", secret: "pinterest-sandbox-secret" };

const MAX_BODY_BYTES = 40 * 1024 * 1024;

/**
 * Starts Pinterest on one origin: the API at `/v5`, the consent page at `/oauth/`, profiles at `/:username/` and pins
 * at `/pin/:id/`. State is rebuilt from the journal in `dataDir`.
 */
export async function startPinterest(options: PinterestOptions): Promise<Handle> {
  const journal = openJournal<PinterestEvent>(join(options.dataDir, "pinterest.jsonl"));
  const control = openControlState(options.dataDir, { scenarios: PINTEREST_SCENARIOS, settings: PINTEREST_SETTINGS });
  const { clock, settings } = control;
  const pinterest: Pinterest = {
    store: createStore(journal),
    clock,
    spec: createSpec("pinterest-v5"),
    limits: createRateLimits(clock, () => settings.values),
    get settings() {
      return settings.values;
    },
    client: options.client ?? SANDBOX_CLIENT,
    mediaFolder: join(options.dataDir, "pinterest-media"),
  };
  const handle = await serve(buildApp(pinterest, control), options);
  const close = async () => {
    await handle.close();
    journal.close();
    control.close();
  };
  return { ...handle, close, [Symbol.asyncDispose]: close };
}

function buildApp(pinterest: Pinterest, control: ControlState<typeof PINTEREST_SETTINGS>): Hono<StandInEnv> {
  const reset = () => {
    pinterest.store.reset();
    pinterest.limits.clear();
    rmSync(pinterest.mediaFolder, { recursive: true, force: true });
  };
  const app = createApp();
  app.use("*", logRequests(control));
  app.route("/__control", controlRoutes(control, { counts: () => countsOf(pinterest), reset }));
  app.route("/__control", accountsControl(pinterest));
  app.route("/__control", pinsControl(pinterest));
  app.route("/__ui", uiRoutes());
  app.use(UPLOAD_PATH, applyFaults(control.faults, uploadLabels));
  app.route("/", uploadApi(pinterest));
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.use(
    "/v5/*",
    applyFaults(control.faults, (c) => labelsOf(pinterest, c)),
  );
  app.use("/oauth/*", applyFaults(control.faults, consentLabels));
  app.route("/v5", oauthTokenApi(pinterest));
  app.route("/v5", boardsApi(pinterest));
  app.route("/v5", analyticsApi(pinterest));
  app.route("/v5", pinsApi(pinterest));
  app.route("/v5", mediaApi(pinterest));
  app.route("/v5", trendsApi(pinterest));
  app.route("/", oauthPages(pinterest));
  app.route("/", webPages(pinterest));
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
  const { code, message } = invalidRequest(`${c.req.method} ${c.req.path} is not supported by this stand-in`);
  return c.json({ code, message }, 501);
}
