import { writeFileSync } from "node:fs";
import { freshRequirements } from "#tests/support/source/requirements.ts";
import { inRepository } from "./root.ts";

// Rewrites the generated part of docs/requirements.md: run it after adding or renaming tests.
writeFileSync(inRepository("docs", "requirements.md"), freshRequirements());
