import type { Clock } from "../kit/serve.ts";
import type { Spec } from "../kit/spec.ts";
import type { Account, Board, Pin } from "./model.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { PinterestSettings } from "./settings.ts";
import type { PinterestState, PinterestStore } from "./state.ts";

/** The app that may request consent. Without `redirectUris` any http(s) URL is accepted. */
export interface OAuthClient {
  id: string;
  secret: string;
  name?: string;
  redirectUris?: string[];
}

export interface Pinterest {
  store: PinterestStore;
  clock: Clock;
  spec: Spec;
  limits: RateLimits;
  readonly settings: PinterestSettings;
  client: OAuthClient;
  mediaFolder: string;
}

const IMAGE_SIZES: [name: string, widthPx: number, heightPx: number | undefined][] = [
  ["150x150", 150, 150],
  ["400x300", 400, 300],
  ["600x", 600, undefined],
  ["1200x", 1200, undefined],
];

export function toWireAccount(account: Account, state: PinterestState): Record<string, unknown> {
  return {
    ...{ id: account.id, username: account.username, account_type: account.accountType, about: account.about },
    ...{ business_name: account.businessName, website_url: account.websiteUrl, profile_image: "" },
    ...{ board_count: account.boards.length, pin_count: pinCount(account, state) },
    ...{ follower_count: account.followers, following_count: account.following, monthly_views: account.monthlyViews },
  };
}

/** An account's initial pins and those published here. */
export function pinCount(account: Account, state: PinterestState): number {
  return account.earlierPins + (state.pinsByAccount.get(account.id)?.length ?? 0);
}

export function toWireBoard(board: Board, state: PinterestState): Record<string, unknown> {
  const { id, name, description, privacy, createdAt } = board;
  const pins = state.pinsByBoard.get(id) ?? [];
  return {
    ...{ id, name, description, privacy, owner: ownerOf(board, state) },
    ...{ pin_count: board.earlierPins + pins.length, follower_count: board.followers, collaborator_count: 0 },
    created_at: withoutZone(createdAt),
    board_pins_modified_at: withoutZone(pins.at(-1)?.createdAt ?? createdAt),
    media: { image_cover_url: null, pin_thumbnail_urls: [] },
  };
}

/** A pin as the API returns it; image URLs start with `origin`. */
export function toWirePin(pin: Pin, state: PinterestState, origin: string): Record<string, unknown> {
  const { id, boardId, boardSectionId = null, title, description, link, aiDisclosures } = pin;
  return {
    ...{ id, created_at: withoutZone(pin.createdAt), board_id: boardId, board_section_id: boardSectionId },
    ...{ board_owner: ownerOf(pin, state), title, description, link, alt_text: pin.altText },
    ...{ dominant_color: pin.dominantColor, parent_pin_id: null, creative_type: creativeType(pin), is_owner: true },
    ...{ is_standard: true, has_been_promoted: false },
    media: toWireMedia(pin, origin),
    ...(aiDisclosures !== null && { ai_disclosures: aiDisclosures }),
  };
}

function creativeType({ slides, video }: Pin): "REGULAR" | "VIDEO" | "CAROUSEL" {
  if (slides !== undefined) return "CAROUSEL";
  return video === undefined ? "REGULAR" : "VIDEO";
}

function toWireMedia(pin: Pin, origin: string): Record<string, unknown> {
  const urlOf = ({ file }: Pin["image"]) => `${origin}/media/${file}`;
  const cover = `${origin}${imagePath(pin)}`;
  const images = toWireImages(pin, cover);
  if (pin.slides !== undefined) {
    const items = pin.slides.map(({ image, title, description, link }) => {
      return { item_type: "image", title, description, link, images: toWireImages({ image }, urlOf(image)) };
    });
    return { media_type: "multiple_images", items };
  }
  if (pin.video === undefined) return { media_type: "image", images };
  return { media_type: "video", images, cover_image_url: cover, video_url: `${origin}/media/${pin.video}` };
}

function ownerOf({ accountId }: Board | Pin, { accounts }: PinterestState): { username: string } {
  return { username: accounts.get(accountId)?.username ?? "" };
}

export function imagePath(pin: Pin): string {
  return `/media/${pin.id}.${pin.image.contentType === "image/png" ? "png" : "jpg"}`;
}

function toWireImages({ image: { widthPx, heightPx } }: Pick<Pin, "image">, url: string): Record<string, unknown> {
  const images = IMAGE_SIZES.map(([name, width, fixedHeight]) => {
    return [name, { url, width, height: fixedHeight ?? Math.round((width * heightPx) / widthPx) }];
  });
  return Object.fromEntries(images);
}

/** The real service omits milliseconds and zone; clients must read it as UTC. */
function withoutZone(iso: string): string {
  return iso.slice(0, 19);
}
