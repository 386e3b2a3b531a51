import { startTestApp, type TestApp, type TestAppOptions } from "#tests/support/app.ts";
import { test } from "./test.ts";

/** A product of the calling file alone, beside the one that all share: with a build or a database of its own. */
export const secondApp = (options: Omit<TestAppOptions, "serverUrl">, prepare = async () => {}): (() => TestApp) => {
  let app: TestApp | undefined;
  test.beforeAll(async () => {
    // A build of its own takes minutes where the machine is busy.
    test.setTimeout(600_000);
    const serverUrl = process.env.E2E_SERVER_URL;
    if (!serverUrl) throw new Error("E2E_SERVER_URL names the tests' database server");
    await prepare();
    app = await startTestApp({ serverUrl, ...options });
  });
  test.afterAll(() => app?.stop());
  return () => {
    if (!app) throw new Error("The product runs from beforeAll on.");
    return app;
  };
};
