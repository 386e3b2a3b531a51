import { startTestApp, type TestApp, type TestAppOptions } from "#tests/support/app.ts";
import { test } from "./test.ts";

/** Starts an app for the calling file only, with its own build or database. */
export const secondApp = (options: Omit<TestAppOptions, "serverUrl">, prepare = async () => {}): (() => TestApp) => {
  let app: TestApp | undefined;
  test.beforeAll(async () => {
    // A build takes minutes on a busy machine.
    test.setTimeout(600_000);
    const serverUrl = process.env.E2E_SERVER_URL;
    if (!serverUrl) throw new Error("E2E_SERVER_URL names the tests' database server");
    await prepare();
    app = await startTestApp({ serverUrl, ...options });
  });
  test.afterAll(() => app?.stop());
  return () => {
    if (!app) throw new Error("The app only runs after beforeAll.");
    return app;
  };
};
