import { randomBytes } from "node:crypto";
import type { TestProject } from "vitest/node";
import { ensureTestBuild, startTestApp } from "./app.ts";
import setupDatabase from "./database-setup.ts";

/** The app that all contract tests share. */
type RunningApp = {
  baseUrl: string;
  pinterestUrl: string;
  openAiUrl: string;
  paddleUrl: string;
  googleUrl: string;
  inboxUrl: string;
  databaseUrl: string;
  env: Record<string, string>;
};

declare module "vitest" {
  interface ProvidedContext {
    app: RunningApp;
  }
}

/** Vitest's global setup of the contract tests: one built app with its stand-ins for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensureTestBuild();
  const stopDatabase = await setupDatabase(project);
  const settings = { METRICS_TOKEN: randomBytes(16).toString("hex") };
  const serverUrl = project.getProvidedContext().testServerUrl;
  const app = await startTestApp({ serverUrl, settings }).catch(async (error) => {
    await stopDatabase();
    throw error;
  });
  const { baseUrl, pinterestUrl, openAiUrl, paddleUrl, googleUrl, inboxUrl, databaseUrl, env } = app;
  project.provide("app", { baseUrl, pinterestUrl, openAiUrl, paddleUrl, googleUrl, inboxUrl, databaseUrl, env });
  return async () => {
    await app.stop();
    await stopDatabase();
  };
}
