import type { ReactNode } from "react";
import { Board, Pin, PinFace, type PinState, Tack } from "#components/shared/pin.tsx";
import { Thread } from "#components/shared/thread.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";

type PosterImageProps = {
  /** Name of a pin in public/pins. */
  name: string;
  /** Empty when the image is decorative or has a caption. */
  alt: string;
  /** Displayed width in CSS px. */
  widthPx: number;
  isEager?: boolean;
  revealPercent?: number;
};

/** An image from public/pins, in two widths. */
export function PosterImage({ name, widthPx, ...rest }: PosterImageProps) {
  return (
    <PinFace
      src={`/pins/${name}-480.webp`}
      avifSrcSet={`/pins/${name}-240.avif 240w, /pins/${name}-480.avif 480w`}
      sizes={`${widthPx}px`}
      isDecoration
      {...rest}
    />
  );
}

type PlacedPinProps = {
  /** Name of a pin in public/pins. */
  poster: string;
  /** Position and width in px of the board. */
  x: number;
  y: number;
  width: number;
  state?: PinState;
  isEager?: boolean;
  caption?: ReactNode;
  className?: string;
};

/** A pin at a fixed position on a board. Its image is decorative; the caption describes it. */
export function PlacedPin({ poster, x, y, width, state = "published", isEager, caption, className }: PlacedPinProps) {
  return (
    <figure className={cn("placed", className)} style={{ left: x, top: y, width }}>
      <Pin state={state}>
        <PosterImage name={poster} alt="" widthPx={width} isEager={isEager} />
      </Pin>
      {caption && (
        <figcaption
          className={cn(
            "relative z-1 grid mt-[15px] pl-0.5 text-xs/[1.35] text-ink-2",
            "[&>b]:italic [&>b]:font-display [&>b]:text-[1.125rem]/[1.2] [&>b]:font-[420]",
            "[&>b]:tracking-[-0.01em] [&>b]:text-ink",
          )}
        >
          {caption}
        </figcaption>
      )}
    </figure>
  );
}

const KEYWORDS = [
  "winter baking",
  "winter herbs",
  "capsule wardrobe",
  "evergreen wreaths",
  "ridge hikes",
  "balcony plants",
];

const HERO_PINS = [
  { poster: "bread", keyword: "winter baking", at: "9:00 AM", x: 318, y: 78, width: 226 },
  { poster: "herbs", keyword: "winter herbs", at: "10:00 AM", x: 574, y: 176, width: 208 },
  { poster: "wardrobe", keyword: "capsule wardrobe", at: "11:00 AM", x: 812, y: 64, width: 236 },
  { poster: "wreath", keyword: "evergreen wreaths", at: "12:00 PM", x: 1080, y: 158, width: 212 },
  { poster: "ridge", keyword: "ridge hikes", at: "1:00 PM", x: 1324, y: 60, width: 226 },
  { poster: "balcony", keyword: "balcony plants", at: "2:00 PM", x: 1584, y: 170, width: 212 },
] as const;

/** An extra pin for very wide screens. */
const EXTRA_PIN = { poster: "swim", x: 1830, y: 90, width: 212 } as const;

const LIST_TACK = { x: 172, y: 112 };

/** The hero of the landing page: a list of keywords and its pins, on one thread in publishing order. */
export function HeroBoard() {
  const tacks = [LIST_TACK, ...[...HERO_PINS, EXTRA_PIN].map(({ x, y, width }) => ({ x: x + width / 2, y }))];
  return (
    <Board
      isBleeding
      className={cn(
        "hero-board h-155 max-md:h-117.5 motion-safe:[&_figure:nth-of-type(1)]:[--turn:1]",
        "motion-safe:[&_figure:nth-of-type(2)]:[--turn:2]",
        "motion-safe:[&_figure:nth-of-type(3)]:[--turn:3]",
        "motion-safe:[&_figure:nth-of-type(4)]:[--turn:4]",
        "motion-safe:[&_figure:nth-of-type(5)]:[--turn:5]",
        "motion-safe:[&_figure:nth-of-type(6)]:[--turn:6]",
      )}
    >
      <div className="board-field">
        <Thread points={tacks} width={2000} height={660} />
        <div className="placed keyword-list">
          <Tack state="dark" />
          <ol>
            {KEYWORDS.map((keyword) => (
              <li key={keyword}>{keyword}</li>
            ))}
          </ol>
        </div>
        {HERO_PINS.map(({ poster, keyword, at, ...place }, index) => (
          <PlacedPin
            key={poster}
            poster={poster}
            {...place}
            isEager={index < 5}
            caption={
              <>
                <b>{keyword}</b>
                <span className="num">{at}</span>
              </>
            }
          />
        ))}
        <PlacedPin {...EXTRA_PIN} />
      </div>
    </Board>
  );
}

const CLOSING_PINS = [
  { poster: "read", x: -140, y: 360, width: 180, className: "max-md:hidden" },
  { poster: "lisbon", x: 40, y: 120, width: 190, className: "max-md:hidden" },
  { poster: "paper", x: 250, y: 330, width: 170, className: "max-md:[translate:240px_90px]" },
  { poster: "quilt", x: 1030, y: 350, width: 170, className: "max-md:[translate:-260px_50px]" },
  { poster: "pasta", x: 1210, y: 90, width: 190, className: "max-md:hidden" },
  { poster: "night", x: 1390, y: 330, width: 180, className: "max-md:hidden" },
] as const;

type ClosingBoardProps = { headline: string; text: string };

/** The closing call to action on a board. */
export function ClosingBoard({ headline, text }: ClosingBoardProps) {
  return (
    <Board
      isBleeding
      className={cn(
        "grid place-items-center h-140 mt-[clamp(80px,10vw,150px)] text-center",
        "max-md:items-start max-md:h-155",
      )}
    >
      <div className="board-field" aria-hidden="true">
        {CLOSING_PINS.map((pin) => (
          <PlacedPin key={pin.poster} {...pin} />
        ))}
      </div>
      <div className="relative z-3 grid justify-items-center gap-6.5 px-5 max-md:pt-24 max-md:pb-0 max-md:px-9">
        <h2 className="display text-d2">{headline}</h2>
        <p className="lead max-w-[36ch]">{text}</p>
        <LinkButton href="/register" variant="primary" size="lg">
          Start free
        </LinkButton>
      </div>
    </Board>
  );
}
