/** Builds the product for the tests in their own folder, unless this very source is built. */
import { ensureTestBuild } from "#tests/support/app.ts";

await ensureTestBuild();
