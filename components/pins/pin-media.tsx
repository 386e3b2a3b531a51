"use client";

import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { PinFace } from "#components/shared/pin.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { readPinAction, recheckLinkAction } from "#lib/features/pins/actions.ts";
import type { PinWire, SlideWire, VideoWire } from "#lib/features/pins/schema.ts";
import { LinkBanner } from "./link-check.tsx";

/** A pin's video with the controls of the browser. */
function PinVideo({ pin, video }: { pin: PinWire; video: VideoWire }) {
  return (
    // biome-ignore lint/a11y/useMediaCaption: users' videos come without captions
    <video
      key={pin.id}
      src={video.url}
      poster={pin.image_url}
      controls
      playsInline
      preload="metadata"
      aria-label={pin.alt_text || pin.title}
      className="max-h-130 w-full rounded-pin bg-well"
    />
  );
}

/** What is wrong with a slide's link. The result of another check comes with the live stream. */
function SlideWarning({ pin, text }: { pin: PinWire; text: string }) {
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const checkAgain = async () => {
    setBusy(true);
    const answer = await callAction(recheckLinkAction({ pinId: pin.id }));
    setBusy(false);
    if (!answer.ok) notice.error(answer.text);
  };
  return (
    <LinkBanner tone="low" isChecking={isBusy} onCheckAgain={checkAgain}>
      {text}
    </LinkBanner>
  );
}

function SlideTexts({ pin, slide }: { pin: PinWire; slide: SlideWire }) {
  const { title, description, url, link_warning } = slide;
  const link = url === null ? null : httpUrl(url);
  return (
    <div className="grid gap-1 text-sm wrap-anywhere">
      {title !== "" && <b className="font-semibold text-ink">{title}</b>}
      {description !== "" && <p className="text-ink-2">{description}</p>}
      {link !== null && (
        <a className="link" href={link} target="_blank" rel="noreferrer">
          {url}
        </a>
      )}
      {link_warning !== null && <SlideWarning pin={pin} text={link_warning} />}
    </div>
  );
}

/** The slides of a carousel one at a time; with a button focused, arrow keys, Home and End page through them. */
export function SlidePager({ pin, slides }: { pin: PinWire; slides: readonly SlideWire[] }) {
  const [at, setAt] = useState(0);
  const last = slides.length - 1;
  const slide = slides[at];
  const go = (next: number) => setAt(Math.max(0, Math.min(last, next)));
  const targets: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  };
  if (!slide) return null;
  return (
    <section className="grid gap-2.5" aria-roledescription="carousel" aria-label={`Slides of ${pin.title}`}>
      <PinFace key={slide.image_url} src={slide.image_url} alt={slide.title || `Slide ${at + 1}`} isEager />
      <div className="flex items-center justify-between gap-2">
        <IconButton label="Previous slide" aria-disabled={at === 0} onClick={() => go(at - 1)} onKeyDown={onKeyDown}>
          <ChevronLeft aria-hidden="true" />
        </IconButton>
        <p className="num text-sm text-ink-2" aria-live="polite">
          Slide {at + 1} of {slides.length}
        </p>
        <IconButton label="Next slide" aria-disabled={at === last} onClick={() => go(at + 1)} onKeyDown={onKeyDown}>
          <ChevronRight aria-hidden="true" />
        </IconButton>
      </div>
      <SlideTexts pin={pin} slide={slide} />
    </section>
  );
}

/** The receipt of a pin, and the video or slides of its format; null for what has neither. */
export const usePinDetails = (pin: PinWire) =>
  useApiQuery(pin.status === "draft" && pin.format === "image" ? null : queryKeys.attempts(pin.id), () =>
    actionValue(readPinAction({ pinId: pin.id })),
  );

/** The video or slides of a pin; its image (`children`) until they are loaded. */
function FormatMedia({ pin, children }: { pin: PinWire; children: ReactNode }) {
  const { data, error, reload } = usePinDetails(pin);
  if (data?.video) return <PinVideo pin={pin} video={data.video} />;
  if (data && data.slides.length > 0) return <SlidePager key={pin.id} pin={pin} slides={data.slides} />;
  return (
    <>
      {children}
      {error !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mt-3"
          action={
            <Button size="sm" onClick={() => void reload()}>
              Try again
            </Button>
          }
        >
          We couldn't load the {pin.format === "video" ? "video" : "slides"}.
        </Banner>
      )}
    </>
  );
}

/** The video or slides of a pin, or its image (`children`). */
export function PinMedia({ pin, children }: { pin: PinWire; children: ReactNode }) {
  return pin.format === "image" ? children : <FormatMedia pin={pin}>{children}</FormatMedia>;
}
