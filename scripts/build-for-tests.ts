/** Builds the product for tests in a separate folder, unless the build is current. */
import { ensureTestBuild } from "#tests/support/app.ts";

await ensureTestBuild();
