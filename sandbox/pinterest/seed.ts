import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { z } from "zod";
import { type Account, type Board, newId, type Pin, type Privacy } from "./model.ts";
import type { Pinterest } from "./wire.ts";

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

interface SeedBoard {
  name: string;
  description: string | null;
  privacy: Privacy;
}

interface SeedAccount {
  username: string;
  about: string;
  businessName?: string;
  boards: SeedBoard[];
  monthlyViews?: number | null;
}

const FIRST_BOARD_AT = Date.UTC(2021, 2, 8, 9, 30);
const BOARD_GAP_MS = 5 * 24 * 3600 * 1000;

const ROOM_KINDS =
  "Green Narrow Sunlit Borrowed Painted Panelled Crooked Quiet Northern Salvaged Whitewashed Shared Winter Tiled Folding Attic Courtyard Lamplit".split(
    " ",
  );
const ROOMS =
  "hallways,kitchens,reading corners,bathrooms,studios,landings,window seats,pantries,bedrooms,workshops,stairs,porches,alcoves,writing desks,guest rooms".split(
    ",",
  );

const open = (name: string, description: string | null = null): SeedBoard => ({ name, description, privacy: "PUBLIC" });
const secret = (name: string, description: string | null = null): SeedBoard => ({
  name,
  description,
  privacy: "SECRET",
});
const shielded = (name: string, description: string | null = null): SeedBoard => ({
  name,
  description,
  privacy: "PROTECTED",
});

const SEED: SeedAccount[] = [
  {
    username: "juniper.studio",
    about: "Floral work from a small studio by the canal. Slow stems, local growers.",
    businessName: "Juniper Studio",
    boards: [
      open("Wreaths for every month", "Twelve wreaths, made with what grows that month."),
      open("Table flowers", "Low, loose and long-lasting."),
      open("Dried and kept", "Seed heads, grasses and everything that stays."),
      open("Studio days"),
      open("Small weddings", "Flowers for fewer than forty guests."),
      open("Growers we love", "Where our stems come from."),
    ],
  },
  {
    username: "moss.and.thread",
    about: "Hand stitching, natural dyes and mending things twice.",
    boards: [
      open("Visible mending", "Darns worth showing."),
      open("Natural dye notes", "Madder, weld, walnut, indigo."),
      open("Sashiko"),
      open("Quilts from scraps", "Nothing under two inches is thrown away."),
      shielded("Promoted patterns", "Only shown in ads."),
      open("Linen wardrobe"),
      open("Botanical embroidery", "Stitched from pressed plants."),
      secret("Book proposal", "Not yet."),
      open("Workroom", "Shelves, light and a good chair."),
      open("Weaving on a small loom"),
      secret("Gifts for Ada"),
      open("Wool and where it comes from", "Flocks, mills, breeds."),
    ],
  },
  {
    username: "atlas.of.small.rooms",
    about: "Two hundred and sixty-eight boards of rooms under twenty square metres.",
    businessName: "Atlas of Small Rooms",
    boards: roomBoards(268),
  },
  {
    username: "salt.and.rye",
    about: "Sourdough, rye and what to eat on it.",
    boards: [
      open("Everyday loaves", "Mixed at night, baked at seven."),
      open("Rye", null),
      open("Spreads and pickles"),
    ],
  },
  {
    username: "north.window.plants",
    about: "House plants for rooms without sun.",
    boards: [open("Ferns", "All of them thirsty."), open("Low light, long life"), open("Pots"), shielded("Shop ads")],
  },
  {
    username: "paper.lantern.club",
    about: "Parties made of paper, string and candlelight.",
    boards: [open("Lanterns to fold", "Templates to print."), open("Garden evenings"), open("Place cards")],
  },
  {
    username: "slow.harbor",
    about: "Sea swimming, harbours and the thermos after.",
    boards: [open("Cold mornings"), open("Harbour towns", "By train and ferry."), secret("Routes for 2027")],
  },
  {
    username: "the.tile.diary",
    about: "One tile a day since 2019.",
    boards: [open("Azulejos", "Lisbon, mostly."), open("Encaustic floors"), open("Patterns to draw"), open("Kilns")],
  },
  {
    username: "field.notes.kitchen",
    about: "Recipes written down while cooking.",
    businessName: "Field Notes Kitchen",
    boards: [
      open("Weeknight pasta", "Thirty minutes, one pan."),
      open("Soup season"),
      open("Preserving"),
      open("Picnics"),
    ],
  },
  {
    username: "copper.kettle.home",
    about: "Repaired, repainted, kept.",
    boards: [
      open("Kitchen before and after"),
      open("Limewash", "Colours that move with the light."),
      open("Old lamps"),
    ],
  },
  {
    username: "wool.and.weather",
    about: "Knitting for people who walk in the rain.",
    boards: [open("Colourwork yokes", "Charts and swatches."), open("Mittens"), open("Hats by the fire")],
  },
  {
    username: "sunday.allotment",
    about: "Plot 14. Beans, dahlias, too many courgettes.",
    boards: [open("What to sow when", "Month by month."), open("Dahlias"), open("Sheds"), open("Compost, seriously")],
  },
  {
    username: "little.oak.library",
    about: "Picture books and rainy-day making for under-sevens.",
    boards: [open("Read aloud"), open("Rainy-day making", "Paper, glue, ten minutes."), open("Reading nooks")],
  },
  {
    username: "quiet.bicycle",
    about: "Short rides with long lunches. Just started.",
    boards: [open("Rides under 40 km"), open("Bags and racks")],
    monthlyViews: null,
  },
];

/** The accounts every stand-in starts with: always the same ids, boards and counts. */
export function seedAccounts(): Account[] {
  return SEED.map(toAccount);
}

/** An account made on request; the same name always gives the same ids. */
export function makeAccount(username: string, boardCount: number): Account {
  return toAccount({ username, about: "Made for a test.", boards: roomBoards(boardCount) });
}

/** Rooms in all combinations, some secret, some protected, some without a description. */
function roomBoards(count: number): SeedBoard[] {
  return Array.from({ length: count }, (_, index) => {
    const room = ROOMS[index % ROOMS.length] ?? "";
    const round = Math.floor(index / ROOMS.length);
    const kind = ROOM_KINDS[round % ROOM_KINDS.length] ?? "";
    const volume = Math.floor(round / ROOM_KINDS.length);
    const name = volume === 0 ? `${kind} ${room}` : `${kind} ${room}, volume ${volume + 1}`;
    const description = index % 4 === 3 ? null : `${kind} ${room} in less space than you would think.`;
    if (index % 23 === 22) return secret(name, description);
    return index % 31 === 30 ? shielded(name, description) : open(name, description);
  });
}

function toAccount(seed: SeedAccount): Account {
  const id = numericId(`account ${seed.username}`);
  const boards = seed.boards.map((board, index): Board => {
    const boardId = numericId(`board ${seed.username} ${index}`);
    return {
      id: boardId,
      accountId: id,
      ...board,
      followers: between(boardId, 3, 900),
      earlierPins: between(`${boardId} pins`, 4, 180),
      createdAt: new Date(FIRST_BOARD_AT + index * BOARD_GAP_MS).toISOString(),
    };
  });
  return {
    id,
    username: seed.username,
    accountType: seed.businessName === undefined ? "PINNER" : "BUSINESS",
    about: seed.about,
    businessName: seed.businessName ?? null,
    websiteUrl: `https://${seed.username.replaceAll(".", "-")}.example.com`,
    earlierPins: boards.reduce((sum, board) => sum + board.earlierPins, 0),
    followers: between(`${id} followers`, 120, 48_000),
    following: between(`${id} following`, 20, 700),
    monthlyViews: seed.monthlyViews === undefined ? between(`${id} views`, 4_000, 930_000) : seed.monthlyViews,
    boards,
  };
}

/** Eighteen digits, as long as the real ids, derived from a text so that restarts keep them. */
function numericId(text: string): string {
  return String(100_000_000_000_000_000n + (digest(text) % 900_000_000_000_000_000n));
}

function between(text: string, least: number, most: number): number {
  return least + Number(digest(text) % BigInt(most - least + 1));
}

function digest(text: string): bigint {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex").slice(0, 24)}`);
}
