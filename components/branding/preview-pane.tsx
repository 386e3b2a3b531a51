import type { ReactNode } from "react";
import type { Previews } from "#components/branding/use-previews.ts";
import { cn } from "#components/ui/cn.ts";
import { Spinner } from "#components/ui/spinner.tsx";
import { TEMPLATES } from "#lib/features/branding/constants.ts";

type PreviewPaneProps = { previews: Previews; children?: ReactNode };

const listOf = (letters: readonly string[]): string =>
  letters.slice(0, 8).join(" ") + (letters.length > 8 ? " and more" : "");

function Note({ previews: { problem, missing, isShortened, large } }: { previews: Previews }) {
  if (problem) return <p className="field-error">{problem}</p>;
  if (missing.length > 0) {
    return <p className="field-error">The fonts have no letters for: {listOf(missing)}. Write other words.</p>;
  }
  return (
    <p className="text-xs text-ink-3">
      {large && (
        <>
          Contrast of the words <span className="num">{large.contrast.toFixed(1)}</span>, measured on the picture.{" "}
        </>
      )}
      {isShortened && "Emoji are left out: the fonts have none."}
    </p>
  );
}

/** The chosen template on the picture, as it will be. */
export function PreviewPane({ previews, children }: PreviewPaneProps) {
  const { large, isDrawing, missing, problem } = previews;
  const isStale = isDrawing || missing.length > 0 || problem !== null;
  return (
    <div className="template-preview">
      <span className={cn("template-stage", isStale && "template-stage-stale")}>
        {large && (
          // biome-ignore lint/performance/noImgElement: a data address, drawn for this moment
          <img src={large.image} alt={`Preview: ${TEMPLATES[large.template].about}`} width={560} height={871} />
        )}
        {isDrawing && <Spinner className="absolute" />}
      </span>
      {children}
      <div aria-live="polite">
        <Note previews={previews} />
      </div>
    </div>
  );
}
