"use server";

import { z } from "zod";
import { action } from "#lib/server/action.ts";
import { countOwnProposals } from "./proposals.ts";
import { readSitePages } from "./reading.ts";
import { confirmImageRights } from "./rights.ts";
import { confirmRightsInput, dismissInput, readSiteInput, watchInput, watchSiteInput } from "./schema.ts";
import { dismissProposals, listWatches, unwatchSite, watchSite } from "./watches.ts";

export const readSiteAction = action("read-site", readSiteInput, readSitePages, { limit: "readSite" });
export const watchSiteAction = action("watch-site", watchSiteInput, watchSite, { limit: "readSite" });
export const unwatchSiteAction = action("unwatch-site", watchInput, unwatchSite);
export const dismissProposalsAction = action("dismiss-proposals", dismissInput, dismissProposals);
export const listWatchesAction = action("list-watches", z.unknown(), listWatches);
export const countProposalsAction = action("count-proposals", z.unknown(), countOwnProposals);
export const confirmImageRightsAction = action("confirm-image-rights", confirmRightsInput, confirmImageRights);
