import "server-only";
import { pictures } from "#lib/composition.ts";
import type { AppIcon, SharedPicture } from "#lib/integrations/pictures/port.ts";

/** Pictures that belong to the site itself: the same for everybody, kept for a day and then asked for again. */
const KEPT = "public, max-age=86400, stale-while-revalidate=604800";

const answer = (bytes: Uint8Array, type: string): Response =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": type, "cache-control": KEPT } });

/** The picture of a shared link. */
export const answerShared = async (picture: SharedPicture): Promise<Response> =>
  answer(await pictures().drawShared(picture), "image/jpeg");

/** An icon of the product. */
export const answerIcon = async (icon: AppIcon): Promise<Response> =>
  answer(await pictures().drawIcon(icon), "image/png");
