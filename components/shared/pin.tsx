import type { ComponentProps, CSSProperties, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type TackProps = {
  /** `slip` is the dark tack that holds a list of keywords rather than a pin. */
  state: PinState | "slip";
  /** Plays the tack's way from hovering to pressed home, once, on mount. */
  isPressing?: boolean;
  className?: string;
};

/** The tack is the state. It is decoration: every tack stands beside a `StatusChip` or a word that says the same. */
export function Tack({ state, isPressing = false, className }: TackProps) {
  return <span aria-hidden="true" className={cn("tack", `tack-${state}`, isPressing && "tack-pressing", className)} />;
}

type PinProps = {
  state: PinState;
  size?: PinSize;
  isSelected?: boolean;
  /** Off for pins that lie on a table rather than hang on a board. */
  hasTack?: boolean;
  /** Plays the tack going home: pass it on the render in which the state changed. */
  isPressing?: boolean;
  /** A `PinFace`, `PinSheet` or `PinOutline`. */
  children: ReactNode;
  className?: string;
};

/** A pin as it hangs: face and tack. Facts go below it, in a `Slip`; never on the picture. */
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

type PictureProps = {
  src: string;
  /** Say what the pin shows; the empty string only where a title stands right beside it. */
  alt: string;
  /** 0 to 100: the picture is still coming up in the tray, this far. */
  developingPercent?: number;
  /** Plays the last part of developing, once, on mount. */
  hasJustDeveloped?: boolean;
  /** First row of a page: load at once. Everything else waits until it is near. */
  isEager?: boolean;
  /** Asked for after everything that the page says. */
  isDecoration?: boolean;
  srcSet?: string;
  /** The same picture as AVIF, for browsers that take it. */
  avifSrcSet?: string;
  sizes?: string;
  /** The picture in a few dozen bytes, as a data address: it stands there blurred until the picture has come. */
  placeholder?: string | null;
  className?: string;
};

/** CSS takes the same number twice: as a length for the mask and bare for the blur. */
function developingStyle(percent: number): CSSProperties {
  const bounded = Math.min(100, Math.max(0, percent));
  return { "--at": `${bounded}%`, "--at-number": bounded } as CSSProperties;
}

/** The 9:14 picture of a pin. */
export function PinFace(props: PictureProps) {
  const { src, alt, developingPercent, hasJustDeveloped, isEager, isDecoration, srcSet, avifSrcSet } = props;
  const { sizes, placeholder, className } = props;
  const isDeveloping = developingPercent !== undefined;
  const image = (
    // biome-ignore lint/performance/noImgElement: pins arrive finished at their final size, cached for good
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
      className={cn(
        "pin-face",
        isDeveloping && "pin-face-developing",
        hasJustDeveloped && "pin-face-developed",
        className,
      )}
      style={isDeveloping ? developingStyle(developingPercent) : undefined}
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

/** A sheet of paper in the shape of a pin, with text on it: title and description while they are being written. */
export function PinSheet({ children, className }: { children?: ReactNode; className?: string }) {
  return <span className={cn("pin-face", className)}>{children}</span>;
}

/** A dashed outline with the keyword: nothing is made yet. */
export function PinOutline({ children, className }: { children?: ReactNode; className?: string }) {
  return <span className={cn("pin-face pin-face-outline", className)}>{children}</span>;
}

type SlipProps = { title?: ReactNode; children?: ReactNode; className?: string };

/** A pin that opens when it is pressed. */
export function PinButton(props: Omit<ComponentProps<"button">, "type" | "className">) {
  return (
    <button
      {...props}
      type="button"
      className="block w-full rounded-pin text-start hover:[&_.pin-face]:shadow-(--shadow-pin-lift)"
    />
  );
}

/** Facts beside a pin: its title in serif, then chip, date, keyword. */
export function Slip({ title, children, className = "gap-[7px]" }: SlipProps) {
  return (
    <div className={cn("slip grid justify-items-start mt-[15px]", className)}>
      {title && <span className="slip-title">{title}</span>}
      {children}
    </div>
  );
}

type BoardProps = ComponentProps<"div"> & {
  /** Runs from edge to edge without rounded corners. */
  isBleeding?: boolean;
};

/** The linen board that pins hang on. Give it its own padding; tacks need about 12 px above the first row. */
export function Board({ isBleeding = false, className, ...rest }: BoardProps) {
  return <div className={cn("board", isBleeding && "board-bleed", className)} {...rest} />;
}

/** Where a pin stands. The same four words travel on the wire (R-POST-11). */
export type PinState = "draft" | "scheduled" | "published" | "failed";

/** Large is a card on a board, `sm` is under 160 px wide, `xs` under 40. */
type PinSize = "md" | "sm" | "xs";
