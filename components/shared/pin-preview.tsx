"use client";

import { type ReactNode, useState } from "react";
import { PinFace, PinOutline } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { httpUrl } from "#lib/core/paths.ts";
import { DESCRIPTION_SHOWN, FEED_TITLE_SHOWN } from "#lib/features/pins/constants.ts";

/** What a preview shows, saved or just typed. */
export type PreviewedPin = {
  title: string;
  description: string;
  /** May be incomplete while it is typed. */
  link: string | null;
  altText: string;
  /** Null before there is an image. */
  imageUrl: string | null;
  /** Of the account that publishes it. */
  username: string;
  /** Null before a board is chosen. */
  boardName: string | null;
};

type View = "image" | "feed" | "close_up";
type Device = "phone" | "desktop";

const IMAGE_VIEW = { value: "image", label: "Image" } as const;
const PINTEREST_VIEWS = [
  { value: "feed", label: "Feed" },
  { value: "close_up", label: "Close-up" },
] as const;
const DEVICES = [
  { value: "phone", label: "Phone" },
  { value: "desktop", label: "Desktop" },
] as const;

type ShownProps = { pin: PreviewedPin; device: Device };

const hostOf = (url: string | null): string | null => {
  const link = url === null ? null : httpUrl(url.trim());
  return link && new URL(link).hostname.replace(/^www\./, "");
};

/** The part of a long description that Pinterest shows, cut between words; null when it is shown whole. */
const startOf = (description: string): string | null => {
  const letters = [...description.trim().replace(/\s+/g, " ")];
  if (letters.length <= DESCRIPTION_SHOWN) return null;
  const start = letters.slice(0, DESCRIPTION_SHOWN).join("");
  return start.replace(/\s\S*$/, "");
};

function PreviewImage({ pin }: { pin: PreviewedPin }) {
  if (pin.imageUrl === null) return <PinOutline>No image yet</PinOutline>;
  return <PinFace src={pin.imageUrl} alt={pin.altText || pin.title} isEager />;
}

function Title({ pin, className }: { pin: PreviewedPin; className: string }) {
  return (
    <p data-slot="preview-title" className={cn("wrap-anywhere", className)}>
      {pin.title.trim() || <span className="text-ink-3">No title yet</span>}
    </p>
  );
}

function Author({ username, children }: { username: string; children?: string }) {
  return (
    <p className="flex min-w-0 items-center gap-2 text-xs/[1.3] text-ink-2">
      <span
        aria-hidden="true"
        className="grid size-6 flex-none place-items-center rounded-full bg-accent-tint font-semibold text-accent-ink"
      >
        {username.slice(0, 1).toUpperCase()}
      </span>
      <span className="min-w-0 truncate">
        {username}
        {children && (
          <small className="block text-[length:inherit] whitespace-normal text-ink-3 wrap-anywhere">{children}</small>
        )}
      </span>
    </p>
  );
}

/** The edges of other pins in a feed. */
function Neighbors({ side }: { side: "left" | "right" }) {
  return (
    <div
      aria-hidden="true"
      className={cn(
        "grid gap-3 [&_i]:bg-(--skeleton)",
        side === "left"
          ? "grid-rows-[1.1fr_0.7fr_1fr] [&_i]:rounded-[0_14px_14px_0]"
          : "grid-rows-[0.6fr_1.2fr_0.8fr] [&_i]:rounded-[14px_0_0_14px]",
      )}
    >
      <i />
      <i />
      <i />
    </div>
  );
}

/** The pin in a feed, as wide as Pinterest's columns on that device. */
function FeedTile({ pin, device }: ShownProps) {
  return (
    <div
      data-slot="preview-feed"
      className={cn(
        "grid gap-3 overflow-hidden rounded-[16px] bg-page py-4 shadow-[inset_0_0_0_1px_var(--line)]",
        "[&_.pin-face]:shadow-none",
        device === "phone"
          ? "grid-cols-[minmax(0,172px)_minmax(20px,1fr)] pl-3"
          : "grid-cols-[minmax(20px,1fr)_minmax(0,236px)_minmax(20px,1fr)]",
      )}
    >
      {device === "desktop" && <Neighbors side="left" />}
      <div data-slot="preview-tile" className="grid min-w-0 content-start gap-[7px]">
        <PreviewImage pin={pin} />
        <Title
          pin={pin}
          className={cn("line-clamp-2 font-[550]", device === "phone" ? "text-xs/[1.3]" : "text-sm/[1.3]")}
        />
        <Author username={pin.username} />
      </div>
      <Neighbors side="right" />
    </div>
  );
}

function Description({ text }: { text: string }) {
  const start = startOf(text);
  if (text.trim() === "") return null;
  return (
    <p
      data-slot="preview-description"
      className="text-xs/[1.45] text-ink-2 whitespace-pre-line wrap-anywhere @min-[12rem]:text-sm/[1.45]"
    >
      {start ?? text.trim()}
      {start !== null && (
        <>
          {"… "}
          <b aria-hidden="true" className="font-semibold text-ink">
            more
          </b>
        </>
      )}
    </p>
  );
}

/** The opened pin: image above the texts on phones, beside them on desktops. */
function CloseUp({ pin, device }: ShownProps) {
  const host = hostOf(pin.link);
  return (
    <div
      data-slot="preview-close-up"
      data-device={device}
      className={cn(
        "overflow-hidden rounded-[20px] bg-page shadow-[inset_0_0_0_1px_var(--line),var(--shadow-card)]",
        "[&_.pin-face]:rounded-none [&_.pin-face]:shadow-none",
        device === "desktop" && "grid grid-cols-2 items-start",
      )}
    >
      <PreviewImage pin={pin} />
      <div className="@container">
        <div className="grid min-w-0 gap-[9px] px-3 pt-3 pb-4 @min-[12rem]:px-4">
          <div className="flex min-h-7 min-w-0 items-center justify-between gap-2 text-sm/[1.3]">
            <p className={cn("min-w-0 truncate", host === null ? "text-ink-3" : "text-ink-2")}>
              {host ?? "No destination link"}
            </p>
            {host !== null && (
              <span
                aria-hidden="true"
                className="hidden flex-none rounded-full bg-well px-3 py-1 text-xs font-semibold text-ink @min-[12rem]:block"
              >
                Visit
              </span>
            )}
          </div>
          <Title pin={pin} className="text-ui/[1.25] font-semibold @min-[12rem]:text-lead/[1.25]" />
          <Description text={pin.description} />
          <Author username={pin.username}>
            {pin.boardName === null ? "No board chosen" : `saved to ${pin.boardName}`}
          </Author>
        </div>
      </div>
    </div>
  );
}

const noteOf = (view: "feed" | "close_up", { title, description }: PreviewedPin): string =>
  view === "feed"
    ? `Feeds show about ${FEED_TITLE_SHOWN} characters of a title. Yours has ${title.trim().length}.`
    : `Opened pins show about ${DESCRIPTION_SHOWN} characters of a description, then “more”. Yours has ${description.trim().length}.`;

type PinPreviewProps = {
  /** Names the preview for screen readers. */
  label: string;
  pin: PreviewedPin;
  /** Adds a view with the image alone. */
  image?: ReactNode;
  /** Shown until another view is chosen. */
  firstView?: View;
};

/** Approximate Pinterest previews that show where texts are cut off. It changes with `pin`, so it follows typing. */
export function PinPreview({ label, pin, image, firstView = "feed" }: PinPreviewProps) {
  const [chosen, setChosen] = useState<View | null>(null);
  const [device, setDevice] = useState<Device>("phone");
  const view = chosen ?? firstView;
  return (
    <section
      aria-label={label}
      data-slot="pin-preview"
      className={cn(
        "grid w-full min-w-0 grid-cols-1 content-start gap-3.5 max-md:justify-items-center",
        "[&_.pin-face:not(.pin-face-outline)]:aspect-auto [&_.pin-face_img]:h-auto",
      )}
    >
      <div className="flex w-full max-w-100 flex-wrap gap-2 [&>fieldset]:flex-auto">
        <Segment
          label="Show it as"
          isLabelHidden
          options={image ? [IMAGE_VIEW, ...PINTEREST_VIEWS] : PINTEREST_VIEWS}
          value={view}
          onChange={setChosen}
        />
        {view !== "image" && (
          <Segment label="Device" isLabelHidden options={DEVICES} value={device} onChange={setDevice} />
        )}
      </div>
      <div className={cn("w-full min-w-0", view === "close_up" && device === "desktop" ? "max-w-140" : "max-w-75")}>
        {view === "image" && image}
        {view === "feed" && <FeedTile pin={pin} device={device} />}
        {view === "close_up" && <CloseUp pin={pin} device={device} />}
      </div>
      {view !== "image" && <FieldNote className="num max-w-100">{noteOf(view, pin)}</FieldNote>}
    </section>
  );
}
