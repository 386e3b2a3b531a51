import { afterAll, beforeAll, inject } from "vitest";
import { buildContainer, contextIn } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { parseEnv } from "#lib/env.ts";
import { startTestApp, type TestApp } from "#tests/support/app.ts";
import { type AppClient, clientOf } from "#tests/support/app-client.ts";
import { controlPinterest, type PinterestControl } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";

/** A running product whose processes can be killed, and access to it. */
export interface Product {
  app: TestApp;
  client: AppClient;
  pinterest: PinterestControl;
  /** An operator's context on the app's database, images and clock; it works while the app is dead. */
  ctx: FullCtx;
  now(): Date;
  /** Advances the clocks of all processes. */
  passTime(ms: number): Promise<void>;
}

const open = async (settings: Record<string, string>): Promise<Product & { close(): Promise<void> }> => {
  const app = await startTestApp({ serverUrl: inject("testServerUrl"), settings });
  const harness = buildContainer(parseEnv(app.env));
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  return {
    app,
    client: clientOf(app),
    pinterest: controlPinterest(app.pinterestUrl),
    ctx: contextIn({ ...harness, now }, { kind: "job", name: "operator" }, createWideEvent()),
    now,
    passTime: async (ms) => {
      offsetMs += ms;
      await app.moveClock(offsetMs);
    },
    close: async () => {
      await harness.database.close();
      await app.stop();
    },
  };
};

/** One product per test file, started before its tests and stopped after them. `settings`: read when it starts. */
export const productForFile = (settings: () => Record<string, string> = () => ({})): (() => Product) => {
  let product: Awaited<ReturnType<typeof open>> | undefined;
  beforeAll(async () => {
    product = await open(settings());
  });
  afterAll(() => product?.close());
  return () => {
    if (!product) throw new Error("The product runs from beforeAll on.");
    return product;
  };
};

interface Run {
  functionId: string;
  status: "running" | "completed" | "failed";
}

/** Waits until this many runs of a function have started and none is running. Returns how they ended. */
export const untilRunsEnded = async (
  { app }: Product,
  functionId: string,
  minimum: number,
): Promise<Run["status"][]> => {
  const endings = async () => {
    const { runs } = await (await fetch(`${app.executorUrl}/v1/runs?limit=500`)).json();
    const all: Run[] = runs.filter((run: Run) => run.functionId === `app-${functionId}`);
    const haveEnded = all.length >= minimum && all.every(({ status }) => status !== "running");
    return haveEnded ? all.map(({ status }) => status) : undefined;
  };
  return until(endings, { deadlineMs: 60_000, what: `${minimum} runs of ${functionId} to end` });
};

/** Whether the executor is idle, and how many steps sleep. */
export const queueOf = async ({ app }: Product): Promise<{ isIdle: boolean; sleeping: number }> => {
  const { queue } = await (await fetch(`${app.executorUrl}/health`)).json();
  return { isIdle: queue.due === 0 && queue.inFlight === 0, sleeping: queue.sleeping };
};

/** Waits until the executor is idle and its runs sleep. Time that moves before a sleep starts would be added to it. */
export const untilSleeping = (product: Product): Promise<true> => {
  const isSleeping = async () => {
    const { isIdle, sleeping } = await queueOf(product);
    return isIdle && sleeping > 0;
  };
  return until(async () => ((await isSleeping()) ? true : undefined), {
    deadlineMs: 60_000,
    what: "all runs to sleep",
  });
};
