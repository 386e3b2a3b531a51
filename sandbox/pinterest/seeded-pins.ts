import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { z } from "zod";
import type { Pinterest } from "./context.ts";
import type { Account, Pin } from "./model.ts";
import { newId } from "./new-id.ts";

const MOST_PINS = 5_000;
const WIDTH_PX = 400;
const HEIGHT_PX = 600;
const FILE = "seeded.png";

/** Pins to put on an account's boards at once, as if they had been published at `created_at` (by default now). */
export const seedOrder = z.object({
  account: z.string(),
  pins: z
    .array(
      z.object({
        board_id: z.string(),
        title: z.string().max(100).nullish(),
        description: z.string().max(800).nullish(),
        link: z.string().max(2_048).nullish(),
        created_at: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .max(MOST_PINS),
});
type SeededPin = z.output<typeof seedOrder>["pins"][number];

/**
 * Puts pins on an account in one stroke, all with the same plain picture. @returns them, in the order of the request.
 * The boards are the account's own.
 */
export function seedPins(pinterest: Pinterest, account: Account, wantedPins: readonly SeededPin[]): Pin[] {
  const { store, clock } = pinterest;
  drawOnce(pinterest.mediaFolder);
  const taken = new Set<string>();
  const pins = wantedPins.map((wanted): Pin => {
    const id = newId((known) => store.state.pins.has(known) || taken.has(known));
    taken.add(id);
    return {
      id,
      accountId: account.id,
      boardId: wanted.board_id,
      sectionId: null,
      title: wanted.title ?? null,
      description: wanted.description ?? null,
      link: wanted.link ?? null,
      altText: null,
      dominantColor: null,
      aiDisclosures: null,
      picture: { file: FILE, contentType: "image/png", widthPx: WIDTH_PX, heightPx: HEIGHT_PX },
      createdAt: new Date(wanted.created_at ?? clock.now()).toISOString(),
    };
  });
  store.commit({ kind: "pins", pins });
  return pins;
}

function drawOnce(folder: string): void {
  const path = join(folder, FILE);
  if (existsSync(path)) return;
  mkdirSync(folder, { recursive: true });
  const canvas = createCanvas(WIDTH_PX, HEIGHT_PX);
  const paint = canvas.getContext("2d");
  paint.fillStyle = "#d8cfc0";
  paint.fillRect(0, 0, WIDTH_PX, HEIGHT_PX);
  writeFileSync(path, canvas.toBuffer("image/png"));
}
