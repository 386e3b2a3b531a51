import type { ComponentProps, CSSProperties, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type TackProps = {
  /** `dark` is for a tack that holds a list of keywords rather than a pin. */
  state: PinState | "dark";
  /** Animates pressing the tack in, once on mount. */
  isPressing?: boolean;
  className?: string;
};

/** A tack whose color shows the state of a pin. It is decorative: always show a `StatusChip` or text as well. */
export function Tack({ state, isPressing = false, className }: TackProps) {
  return <span aria-hidden="true" className={cn("tack", `tack-${state}`, isPressing && "tack-pressing", className)} />;
}

type PinProps = {
  state: PinState;
  size?: PinSize;
  isSelected?: boolean;
  hasTack?: boolean;
  /** Animates pressing the tack in; pass it on the render in which the state changed. */
  isPressing?: boolean;
  /** A `PinFace`, `PinPaper` or `PinOutline`. */
  children: ReactNode;
  className?: string;
};

/** A pin with its tack. Put text below it in a `Caption`, never on the image. */
export function Pin({ state, size = "md", isSelected, hasTack = true, isPressing, children, className }: PinProps) {
  return (
    <span
      className={cn("pin", `pin-${state}`, size !== "md" && `pin-${size}`, isSelected && "pin-selected", className)}
    >
      {children}
      {hasTack && <Tack state={state} isPressing={isPressing} />}
    </span>
  );
}

type ImageProps = {
  src: string;
  /** Describes the image; empty only when a title is right beside it. */
  alt: string;
  /** How much of the image is revealed while it is being generated, 0 to 100. */
  revealPercent?: number;
  /** Animates the end of the reveal, once on mount. */
  isJustRevealed?: boolean;
  /** Loads at once, for the first row of a page; otherwise the image loads lazily. */
  isEager?: boolean;
  /** Loads with low priority. */
  isDecoration?: boolean;
  srcSet?: string;
  /** The same image as AVIF, for browsers that support it. */
  avifSrcSet?: string;
  sizes?: string;
  /** A tiny data URL of the image, shown blurred until the image has loaded. */
  placeholder?: string | null;
  className?: string;
};

/** CSS needs the number twice: as a percentage for the mask, and without a unit for the blur. */
function revealStyle(percent: number): CSSProperties {
  const bounded = Math.min(100, Math.max(0, percent));
  return { "--at": `${bounded}%`, "--at-number": bounded } as CSSProperties;
}

/** The 9:14 image of a pin. */
export function PinFace(props: ImageProps) {
  const { src, alt, revealPercent, isJustRevealed, isEager, isDecoration, srcSet, avifSrcSet } = props;
  const { sizes, placeholder, className } = props;
  const isRevealing = revealPercent !== undefined;
  const image = (
    // biome-ignore lint/performance/noImgElement: pins are served in their final size
    <img
      src={src}
      srcSet={srcSet}
      sizes={sizes}
      alt={alt}
      width={1080}
      height={1680}
      loading={isEager ? "eager" : "lazy"}
      fetchPriority={isDecoration ? "low" : undefined}
      decoding="async"
    />
  );
  return (
    <span
      className={cn("pin-face", isRevealing && "pin-face-revealing", isJustRevealed && "pin-face-revealed", className)}
      style={isRevealing ? revealStyle(revealPercent) : undefined}
    >
      {placeholder && <i className="pin-face-blur" style={{ backgroundImage: `url("${placeholder}")` }} />}
      {avifSrcSet ? (
        <picture className="contents">
          <source type="image/avif" srcSet={avifSrcSet} sizes={sizes} />
          {image}
        </picture>
      ) : (
        image
      )}
    </span>
  );
}

/** Paper in the shape of a pin, for a title and description that are being written. */
export function PinPaper({ children, className }: { children?: ReactNode; className?: string }) {
  return <span className={cn("pin-face", className)}>{children}</span>;
}

/** A dashed outline with the keyword, for a pin that has not been started. */
export function PinOutline({ children, className }: { children?: ReactNode; className?: string }) {
  return <span className={cn("pin-face pin-face-outline", className)}>{children}</span>;
}

type CaptionProps = { title?: ReactNode; children?: ReactNode; className?: string };

/** A button around a pin. */
export function PinButton(props: Omit<ComponentProps<"button">, "type" | "className">) {
  return (
    <button
      {...props}
      type="button"
      className="block w-full rounded-pin text-start hover:[&_.pin-face]:shadow-(--shadow-pin-lift)"
    />
  );
}

/** The text below a pin: its title in serif, then chip, date and keyword. */
export function Caption({ title, children, className = "gap-[7px]" }: CaptionProps) {
  return (
    <div className={cn("pin-caption grid justify-items-start mt-[15px]", className)}>
      {title && <span className="pin-caption-title">{title}</span>}
      {children}
    </div>
  );
}

type BoardProps = ComponentProps<"div"> & {
  /** Runs from edge to edge without rounded corners. */
  isBleeding?: boolean;
};

/** The linen board behind pins. Set its padding; tacks need about 12 px above the first row. */
export function Board({ isBleeding = false, className, ...rest }: BoardProps) {
  return <div className={cn("board", isBleeding && "board-bleed", className)} {...rest} />;
}

/** The status of a pin, as on the wire. */
export type PinState = "draft" | "scheduled" | "published" | "failed";

/** `sm` is for pins under 160 px wide, `xs` for those under 40. */
type PinSize = "md" | "sm" | "xs";
