import type { ReactNode } from "react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { AuthAside } from "#components/identity/auth-copy.tsx";
import { Board, Tack } from "#components/shared/pin.tsx";
import { Thread } from "#components/shared/thread.tsx";
import { PlacedPin } from "#components/site/poster-boards.tsx";
import { cn } from "#components/ui/cn.ts";

type PinSeed = { poster: string; x: number; y: number; width: number };

type AuthPageProps = {
  /** Content below the form, such as a link to another page. */
  aside?: ReactNode;
  /** Keywords shown first on the upper thread. */
  keywords?: readonly string[];
  /** Two threads of decorative pins. */
  rows: readonly (readonly PinSeed[])[];
  children: ReactNode;
};

const FIELD = { width: 700, height: 900 } as const;
const LIST = { x: 30, y: 104 } as const;
const LIST_TACK = { x: LIST.x + 92, y: LIST.y } as const;

/** Points of a row's thread. It enters from outside unless it starts at the keyword list, and leaves at the other edge. */
function threadOf(row: readonly PinSeed[], startsAtList: boolean) {
  const tacks = row.map(({ x, y, width }) => ({ x: x + width / 2, y }));
  const height = tacks[0]?.y ?? 0;
  return [startsAtList ? LIST_TACK : { x: -280, y: height - 40 }, ...tacks, { x: FIELD.width + 280, y: height - 20 }];
}

function KeywordList({ keywords }: { keywords: readonly string[] }) {
  return (
    <div className="placed keyword-list" style={{ left: LIST.x, top: LIST.y }}>
      <Tack state="dark" />
      <ol>
        {keywords.map((keyword) => (
          <li key={keyword}>{keyword}</li>
        ))}
      </ol>
    </div>
  );
}

/** Layout of the login, registration and password recovery pages: a form beside decorative pins. */
export function AuthPage({ aside, keywords, rows, children }: AuthPageProps) {
  return (
    <div className="grid grid-cols-2 min-h-[min(860px,calc(100dvh_-_76px))] max-lg:grid-cols-[1fr] max-lg:min-h-0">
      <PreloadFonts names={["newsreader-title"]} />
      <div
        className={cn(
          "grid content-center pt-12 pb-18 px-(--gutter)",
          "pl-[max(var(--gutter),(100vw_-_var(--site-max))_/_2)]",
          "max-lg:content-start max-lg:justify-items-center max-lg:pt-6 max-lg:pb-18 max-lg:px-(--gutter)",
        )}
      >
        <div className="w-full max-w-105">
          {children}
          {aside && <AuthAside>{aside}</AuthAside>}
        </div>
      </div>
      <Board isBleeding className="relative min-h-160 max-lg:hidden" aria-hidden="true">
        <div className="absolute left-1/2 top-0 w-175 h-225 -ml-87.5">
          {rows.map((row, index) => (
            <Thread
              key={row[0]?.poster}
              points={threadOf(row, index === 0 && keywords !== undefined)}
              width={FIELD.width}
              height={FIELD.height}
            />
          ))}
          {keywords && <KeywordList keywords={keywords} />}
          {rows.flat().map((pin) => (
            <PlacedPin key={pin.poster} {...pin} />
          ))}
        </div>
      </Board>
    </div>
  );
}
