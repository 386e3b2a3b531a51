import type { CSSProperties, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

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
