/** `npm run build`: builds the artifact that every instance runs, with the settings that pages show. */
import { parsePageEnv } from "#lib/env.ts";
import { ensureBuild } from "./build.ts";
import { inRepository } from "./root.ts";
import { readSettings } from "./settings-file.ts";

const settings = readSettings(inRepository(".env"));
const APP_URL = settings.APP_URL ?? "http://localhost:3000";

try {
  parsePageEnv({ ...settings, APP_URL });
  const build = {
    distDir: ".next",
    settings: { ...settings, APP_URL },
    logFile: inRepository(".data", "logs", "build.log"),
  };
  const isNew = await ensureBuild(build, () => console.log("Building (about a minute)…"));
  console.log(isNew ? `Built for ${APP_URL}.` : `The build for ${APP_URL} is up to date.`);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
