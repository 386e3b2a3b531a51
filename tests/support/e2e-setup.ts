import { ensureTestBuild, startTestApp } from "./app.ts";
import { startTestCluster } from "./cluster.ts";
import { startLinkSite } from "./link-site.ts";

/**
 * Playwright's global setup: database, stand-ins and built app for the whole run. Tests read the URLs from the
 * environment.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await ensureTestBuild();
  const cluster = await startTestCluster();
  const links = await startLinkSite();
  const app = await startTestApp({
    serverUrl: cluster.serverUrl,
    settings: { LINK_CHECK_ALLOWED_HOSTS: `${links.host},${links.otherHost}` },
    certificateFile: links.certificateFile,
  }).catch(async (error) => {
    await cluster.stop();
    throw error;
  });
  // Workers are forked later and inherit the environment.
  const { baseUrl, databaseUrl, pinterestUrl, env } = app;
  process.env.E2E_PRODUCT = JSON.stringify({ baseUrl, databaseUrl, pinterestUrl, env });
  process.env.BASE_URL = baseUrl;
  process.env.E2E_PINTEREST_URL = app.pinterestUrl;
  process.env.E2E_OPENAI_URL = app.openAiUrl;
  process.env.E2E_PADDLE_URL = app.paddleUrl;
  process.env.E2E_INBOX_URL = app.inboxUrl;
  process.env.E2E_DATABASE_URL = app.databaseUrl;
  process.env.E2E_LINKS_URL = links.url;
  // For tests that start a second app.
  process.env.E2E_SERVER_URL = cluster.serverUrl;
  return async () => {
    await app.stop();
    await links.close();
    await cluster.stop();
  };
}
